"""`python -m tests.benchmarks [NAME…]`: every benchmark in turn, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    found = {file.stem.removeprefix("bench_"): file for file in sorted(HERE.glob("bench_*.py"))}
    unknown = [name for name in names if name not in found]
    if unknown:
        print(f"No benchmark {', '.join(unknown)}: choose {', '.join(found)}.", file=sys.stderr)
        return 2
    missed = []
    for name in names or found:
        print(f"\n== {name}", flush=True)
        module = f"tests.benchmarks.{found[name].stem}"
        if subprocess.call([sys.executable, "-m", module], cwd=HERE.parents[1]) != 0:
            missed.append(name)
    print(f"\nMissed: {', '.join(missed)}" if missed else "\nAll bounds held.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
