"""`python -m ratebook` is `ratebook`."""

import sys

from .cli import main

sys.exit(main())
