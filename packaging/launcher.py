"""Where the packaged application starts."""

from multiprocessing import freeze_support

# First of all: a child process that multiprocessing starts is this program again, and without this
# line it would open another window instead of doing its work.
freeze_support()

import sys

from app.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
