"""Markdown as models write it: raw text in, blocks that know their place in the raw text out.

No Qt here. Nothing is ever dropped: HTML is text, unknown LaTeX stays LaTeX, and what is too deep
or too long to be worth parsing stays plain.
"""
