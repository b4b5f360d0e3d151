"""`python -m spielwerk` is the command line."""

import sys

from spielwerk.cli import main

sys.exit(main())
