"""What things cost, as ratios against a peer measured in the same run. `make bench` runs all."""

from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager


def simulating(description):
    """The options of a simulation: how many rounds, and who counts them."""
    import argparse

    asked = argparse.ArgumentParser(description=description)
    asked.add_argument("--rounds", type=int, default=2000)
    who = asked.add_mutually_exclusive_group()
    who.add_argument("--jobs", type=int, default=1, help="so many processes")
    who.add_argument("--dask", help="the address of Dask's scheduler, as of `report`")
    return asked.parse_args()


@contextmanager
def shared(given):
    """`map`, or that of the executor that is asked for."""
    from raterbook.commands.reports import workers

    with ExitStack() as stack:
        executor = stack.enter_context(workers(given.dask))
        if given.jobs > 1:
            executor = stack.enter_context(ProcessPoolExecutor(given.jobs))
        yield executor.map if executor else map
