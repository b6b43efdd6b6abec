"""Counting where the answers lie: seconds and memory from a million ratings to a hundred million.

    python -m tests.benchmarks.bench_scale [--largest N] [--folder DIR]

Each size in a process of its own, from a folder of Parquet files, on two threads and a gigabyte
for the engine; exits 1 where memory or growth passes its bound.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (1_000_000, 10_000_000, 100_000_000)
RATERS = 5
MOST_GB = 2.5
# Twice as many ratings may cost a little more than twice as much.
MOST_EXPONENT = 1.1
# Clusters stay apart, so what they need grows with their number: a hundred thousand at most here.
MOST_CLUSTERED = 10_000_000
IDS = {"numbers": "unit", "texts": "'unit ' || unit"}


def engine(memory: str = "1GB"):
    """DuckDB on two threads, with a place to put what does not fit."""
    import ibis

    return ibis.duckdb.connect(threads=2, memory_limit=memory, preserve_insertion_order=False)


def write(folder: Path, ratings: int, ids: str, pieces: int = 8) -> None:
    """Five raters, five levels, one step of error either way, clusters of some twenty units."""
    connection = engine().con
    units = ratings // RATERS
    for piece in range(pieces):
        low, high = units * piece // pieces, units * (piece + 1) // pieces
        connection.execute(
            f"""
            COPY (
                SELECT {IDS[ids]} AS unit, {"rater" if ids == "numbers" else "'rater ' || rater"}
                    AS rater, unit // 20 AS cluster,
                    least(5, greatest(1, 1 + (hash(unit) % 5)
                        + (hash(unit * 5 + rater) % 3) - 1))::TINYINT AS value
                FROM (SELECT range AS unit FROM range({low}, {high})) AS units,
                    (SELECT range AS rater FROM range({RATERS})) AS raters
            ) TO '{folder}/part-{piece}.parquet' (FORMAT parquet, COMPRESSION zstd)
            """
        )


def count(folder: Path, clusters: bool) -> dict[str, float]:
    """Seconds, CPU seconds and peak memory of the statistics of one folder."""
    from raterbook.analysis import Interval, Ratings, alpha, gwet, kappa, mean, proportion

    start, cpu = time.perf_counter(), time.process_time()
    table = engine().read_parquet(f"{folder}/*.parquet")
    ratings = Ratings(table, [1, 2, 3, 4, 5], cluster="cluster" if clusters else None)
    counted = time.perf_counter()
    found = [
        alpha(ratings, "ordinal"),
        alpha(ratings, interval=Interval("bootstrap", draws=1000)),
        kappa(ratings),
        gwet(ratings, "quadratic"),
        mean(ratings),
        proportion(ratings, [4, 5]),
    ]
    return {
        "ratings": found[0].n_ratings,
        "alpha": found[0].value,
        "counting": counted - start,
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def draw(curves: dict[str, list[dict[str, float]]], file: Path) -> None:
    """Seconds and gigabytes against ratings, in shades of grey: docs/scale.svg."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    from raterbook.design import LIGHT

    mpl.rcParams.update({"svg.hashsalt": "raterbook", "font.size": 10, "svg.fonttype": "none"})
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    shown = (("seconds", "seconds, counting and inference"), ("gigabytes", "peak memory, GB"))
    for axis in axes:
        axis.set(xscale="log", yscale="log")
    styles = zip(("-", "--", ":"), ("o", "s", "^"), ("0.1", "0.35", "0.55"), strict=True)
    for (name, rows), (line, mark, grey) in zip(curves.items(), styles, strict=False):
        for axis, (what, _) in zip(axes, shown, strict=True):
            x, y = [row["ratings"] for row in rows], [row[what] for row in rows]
            axis.plot(x, y, line, marker=mark, color=grey, label=name)
    axes[1].axhline(MOST_GB, color=LIGHT["soft"], linewidth=0.8)
    axes[1].set_ylim(0.18, 4)  # room for the bound's name between its line and the title
    axes[1].annotate(f"bound: {MOST_GB} GB", (SIZES[0], MOST_GB * 1.07), color=LIGHT["soft"])
    axes[0].set_yticks([1, 10, 100], ["1", "10", "100"])
    axes[1].set_yticks([0.25, 0.5, 1, 2], ["0.25", "0.5", "1", "2"], minor=False)
    axes[1].yaxis.set_minor_locator(mpl.ticker.NullLocator())
    for axis, (_, title) in zip(axes, shown, strict=True):
        axis.set(xlabel="ratings")
        axis.set_title(title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(color=LIGHT["line"], linewidth=0.5)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=3)
    figure.suptitle(finding(curves), fontsize=12, ha="left", x=0.01)
    figure.savefig(file, metadata={"Date": None, "Title": finding(curves)})


def finding(curves: dict[str, list[dict[str, float]]]) -> str:
    """What the figure shows, by the curves that reach the most ratings."""
    most = max(row["ratings"] for rows in curves.values() for row in rows)
    whole = [rows for rows in curves.values() if rows[-1]["ratings"] == most]

    def times(what: str) -> str:
        """5, or 22 to 80."""
        found = sorted(round(rows[-1][what] / rows[0][what]) for rows in whole)
        return " to ".join(map(str, dict.fromkeys((found[0], found[-1]))))

    said = f"{times('ratings')} times the ratings take {times('seconds')} times as long"
    said += f" and {times('gigabytes')} times the memory"
    return said + ("; clusters cost more" if any("clusters" in name for name in curves) else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--folder", default=None, help="where there is room for a gigabyte")
    parser.add_argument("--figure", help="draw the curves into this file")
    parser.add_argument("--ids", nargs="*", choices=IDS)
    parser.add_argument("--count", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.count:
        print(json.dumps(count(Path(given.count[0]), given.count[1] == "clusters")))
        return 0
    sizes = [size for size in SIZES if size <= given.largest]
    missed, curves = [], {}
    print(f"{'ids':8} {'resampled':10} {'ratings':>12} {'counting':>9} {'all, s':>7} {'GB':>5}")
    for ids in given.ids or IDS:
        for resampled in ("units", "clusters") if ids == "numbers" else ("units",):
            most = MOST_CLUSTERED if resampled == "clusters" else given.largest
            rows = [measured(given.folder, size, ids, resampled) for size in sizes if size <= most]
            curves[f"ids are {ids}, {resampled} resampled"] = rows
            for row in rows:
                print(
                    f"{ids:8} {resampled:10} {row['ratings']:12,} {row['counting']:9.2f} "
                    f"{row['seconds']:7.2f} {row['gigabytes']:5.2f}",
                    flush=True,
                )
            if len(rows) > 1:
                growth = rows[-1]["seconds"] / rows[0]["seconds"]
                power = math.log(growth) / math.log(rows[-1]["ratings"] / rows[0]["ratings"])
                print(f"{ids:8} {resampled:10} seconds grow with ratings to the power {power:.2f}")
                if power > MOST_EXPONENT:
                    missed.append(f"{ids}, {resampled}: power {power:.2f} > {MOST_EXPONENT}")
            peak = max(row["gigabytes"] for row in rows)
            if peak > MOST_GB:
                missed.append(f"{ids}, {resampled}: {peak:.2f} GB > {MOST_GB}")
    if given.figure:
        draw(curves, Path(given.figure))
    print(*(missed or ["all within bounds"]), sep="\n")
    return 1 if missed else 0


def measured(folder: str | None, size: int, ids: str, resampled: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        write(Path(place), size, ids)
        words = [sys.executable, "-m", "tests.benchmarks.bench_scale", "--count", place, resampled]
        done = subprocess.run(
            words,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": place},
        )
        return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
