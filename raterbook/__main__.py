"""`python -m raterbook` is `raterbook`."""

import sys

from .cli import main

sys.exit(main())
