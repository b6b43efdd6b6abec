"""Reports and release gates."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import PARAM, ROUND, WHY, arg, command
from .rounds import Refused, chosen, led, pairs, workspace

if TYPE_CHECKING:
    from concurrent.futures import Executor

PATIENCE = 10  # seconds for a scheduler to answer

NOW = arg("--now", action="store_true", help="look before a declared look is due; recorded")
GROUP = arg(
    "--group",
    action="append",
    default=[],
    metavar="COLUMN",
    help="break the numbers down by this column of the items as well",
)


JUDGE = arg(
    "--judge",
    action="append",
    default=[],
    metavar="NAME",
    help="set this model beside people, number by number; all: every model",
)
COLUMN = arg(
    "--column",
    action="append",
    default=[],
    metavar="WHAT=COLUMN",
    help="what comparing needs of the items: length, order, inclusion, family=COLUMN=ITS OWN",
)


@command(
    "build the page of a round, of several, or of all",
    arg("rounds", nargs="*", metavar="ROUND"),
    arg("--all", action="store_true"),
    arg("--jobs", type=int, default=1, metavar="N"),
    arg("--dask", metavar="ADDRESS", help="share the rounds among the workers of this scheduler"),
    arg("--pdf", action="store_true", help="print each page as well (needs Chromium)"),
    arg("--paper", action="store_true", help="a methods paragraph and a LaTeX table as well"),
    arg("--archive", metavar="FOLDER", help="of rounds in this archive, however large"),
    GROUP,
    JUDGE,
    COLUMN,
    arg("--compare", nargs=2, metavar=("A", "B"), help="what changed from one to the other"),
    NOW,
    WHY,
    PARAM,
)
def report(given: Namespace) -> int:
    from ..numbers.parameters import checked
    from ..reporting import ReportError, build, compare

    place = workspace(given) if given.archive else led(given)
    parameters = parameters_of(given)
    if not given.compare and not given.rounds and not given.all:
        raise Refused("Name a round, or give --all.")
    if given.archive:
        return report_archive(given, place, parameters)
    wanted = place.rounds() if given.all else given.rounds
    if given.now:
        for name in wanted:
            print(peeked(place.round(name), given.why))
    if given.dask and given.jobs != 1:
        raise Refused("--jobs and --dask both say who makes the pages: give one of them.")
    try:
        if given.compare:
            first, second = given.compare
            if first == second:
                raise Refused(f"--compare {first} {second}: name two rounds, this is one.")
            print(compare(place, first, second, parameters))
            return 0
        with workers(given.dask) as executor:
            how = executor or given.jobs
            build(place, wanted, how, parameters, pdf=given.pdf, paper=given.paper)
    except ReportError as error:
        raise Refused(str(error)) from error
    for name in wanted:
        print(place.reports / name / "index.html")
        for beside in ("report.pdf",) * given.pdf + ("paper.tex",):
            if (place.reports / name / beside).exists():
                print(place.reports / name / beside)
        if other := checked(name, parameters).other():
            print(
                f"  made with other than the usual parameters ({', '.join(other)}), as the page "
                + ("says." if given.reports else "says; --reports DIR keeps such a page apart.")
            )
    print(f"All rounds: {place.reports / 'index.html'}")
    return 0


def peeked(stored: Any, why: str | None) -> str:
    """A look before its time, where the round hides anything; what was done, in a line."""
    before = stored.looks()
    if before is None:
        return f"{stored.name} declared no looks, so nothing is hidden."
    after = stored.peek(why)
    if len(after.taken) == len(before.taken):
        return f"{stored.name} is closed: everything is shown."
    return f"{stored.name}: the log has a look at {after.last.complete:,} ratings."


def report_archive(given: Namespace, place: Any, parameters: Mapping[str, Any]) -> int:
    """The numbers of rounds in an archive, with a page that lists them."""
    from ..files.archive import rounds_of
    from ..reporting import ReportError
    from ..reporting.run import build_archived

    for word in ("compare", "pdf", "paper", "dask"):
        if getattr(given, word):
            raise Refused(f"--archive takes no --{word}: it counts where the answers lie.")
    try:
        for name in rounds_of(given.archive) if given.all else given.rounds:
            print(build_archived(given.archive, name, place.reports, parameters))
    except ReportError as error:
        raise Refused(str(error)) from error
    return 0


@contextmanager
def workers(address: str | None) -> Iterator[Executor | None]:
    """Dask's workers as an executor; None where no scheduler is named."""
    if not address:
        yield None
        return
    from ..environment import optional

    distributed = optional("distributed", "scale", "--dask")
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Refused(
            f"--dask {address}: no scheduler answers ({said}): start one with `dask scheduler`, "
            "and workers that see the same folders, and give its tcp:// address."
        ) from error
    with client:
        if not client.nthreads():
            said = f"{address} has no workers yet; waiting for `dask worker {address}`."
            print(said, file=sys.stderr)
        yield client.get_executor()


def parameters_of(given: Namespace) -> dict[str, Any]:
    """`--param NAME=VALUE`, and the options that are the plain way to say one of them."""
    found: dict[str, Any] = dict(pairs(given.param))
    for option, name in (("group", "groups"), ("judge", "judge"), ("column", "columns")):
        if said := getattr(given, option, None):
            if name in found:
                raise Refused(
                    f"--{option} and --param {name}= say the same thing: give one of them."
                )
            found[name] = list(dict.fromkeys(said))
    return found


@command(
    "targets, for a release gate: exit 1 where one is missed",
    ROUND,
    arg("--json", action="store_true"),
    arg(
        "--require",
        action="append",
        default=[],
        metavar="NUMBER>=BOUND",
        help="e.g. 'alpha_ordinal:tone>=.67'",
    ),
    arg("--decided", action="store_true", help="the interval must meet the target too"),
    arg("--against", metavar="ROUND2", help="models must answer its anchors as they did there"),
    JUDGE,
    COLUMN,
    NOW,
    WHY,
    PARAM,
)
def check(given: Namespace) -> int:
    import json

    from ..numbers.targets import verdict

    stored = chosen(given)
    if given.now:
        peeked(stored, given.why)
    drifts = None
    if given.against:
        drifts = stored.drift(given.against)
        if not given.require:
            print(
                json.dumps(drifts.to_dict(), ensure_ascii=False, indent=1) if given.json else drifts
            )
            return 0 if drifts.passed else 1
    numbers = stored.numbers(**of_models(given.require, parameters_of(given)))
    if numbers.look is not None and numbers.look["hidden"]:
        found = {"round": given.round, "passed": False, "targets": [], "look": numbers.look}
        print(json.dumps(found, indent=1) if given.json else numbers.look["sentence"])
        return 1
    asked = [required(text, given.round, numbers.rows) for text in given.require]
    further = [verdict(target, row) for target, row in asked]
    if not asked and not numbers.targets:
        # A gate that asks nothing would always be open.
        whole = (row for row in numbers.rows if row["question"] and not row["group"])
        row = next((row for row in whole if row["estimate"] is not None), None)
        such = f", such as --require '{row['statistic']}:{row['question']}>=BOUND'" if row else ""
        raise Refused(
            f"{given.round}: {numbers.protocol} sets no targets. Name some by --require{such}."
        )
    targets = further if asked else numbers.targets
    passed = all(
        target["met"] and (not given.decided or target["verdict"] == "met") for target in targets
    )
    passed = passed and (drifts is None or drifts.passed)
    if given.json:
        found = {"round": given.round, "passed": passed, "targets": targets}
        found |= drifts.to_dict() | {"passed": passed} if drifts else {}
        print(json.dumps(found | ({"look": numbers.look} if numbers.look else {}), indent=1))
    else:
        from ..reporting.sections.verdict import sentence

        for target in targets:
            print(sentence(target))
        if numbers.look:
            print(numbers.look["sentence"])
        if drifts:
            print(drifts)
        print(outcome(targets, passed, given.decided))
    return 0 if passed else 1


@command(
    "a model beside people: may it replace them, assist them, or not",
    ROUND,
    arg(
        "--model",
        "--judge",
        action="append",
        required=True,
        metavar="NAME",
        help="the rater to compare; several, or all, are ranked",
    ),
    arg(
        "--epsilon",
        default="0.15",
        metavar="E",
        help="how much oftener a person may be nearer: a share, experts, skilled, crowd, or "
        "QUESTION=E,… (default: %(default)s)",
    ),
    arg("--inclusion", metavar="COLUMN", help="each item's chance of having come to people"),
    GROUP,
    COLUMN,
    arg("--json", action="store_true"),
    PARAM,
)
def compare(given: Namespace) -> None:
    stored, models = chosen(given), list(dict.fromkeys(given.model))
    how = {"epsilon": given.epsilon, "inclusion": given.inclusion}
    if len(models) > 1 or models == ["all"]:
        found: Any = stored.rank(models, **how, **parameters_of(given))
    else:
        found = stored.compare(models[0], **how, **parameters_of(given))
    print(found.to_json() if given.json else found, end="" if given.json else "\n")


def of_models(required: Iterable[str], parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters; what only a comparison with people has asks for every model by itself."""
    from ..protocols.comparisons import BESIDE

    names = {match["name"] for text in required if (match := re.match(REQUIRED, text, re.DOTALL))}
    asks = names & BESIDE.keys() or any("whose" in text for text in required)
    return {"judge": ["all"], **parameters} if asks else parameters


def outcome(targets: Sequence[Mapping[str, Any]], passed: bool, decided: bool) -> str:
    """The gate's verdict in a line, with how many targets it hangs on."""
    from ..rounds.model import counted

    met = sum(bool(target["met"]) for target in targets)
    sure = sum(target["verdict"] == "met" for target in targets)
    beyond = f", {sure} by the whole interval" if decided else ""
    said = f"{met} of {counted(len(targets), 'target')} met by the estimate{beyond}"
    return f"{'Passed' if passed else 'Not passed'}: {said}."


# `--require 'recall[model=atlas-2]>=70%'`: one number of the round, and the bound it must keep.


REQUIRED = (
    r"\s*(?P<name>[a-z0-9_]+)\s*(:\s*(?P<question>[a-z0-9_]+)\s*)?"
    r"(\[(?P<inside>.*)\]\s*)?(?P<sign>>=|<=)\s*(?P<bound>[^\s%]+)\s*(?P<percent>%?)\s*"
)
HOW = "write it as 'alpha_ordinal:tone>=.67', 'percent_match>=85%' or 'recall[model=NAME]>=70%'"
LISTED = 12
Row = Mapping[str, Any]


def required(text: str, round: str, rows: Sequence[Row]) -> tuple[SimpleNamespace, Row]:
    """The target and the row it speaks of; whatever fits several rows is refused with them."""
    match = re.fullmatch(REQUIRED, text, re.DOTALL)
    if match is None:
        raise Refused(f"--require {text!r}: {HOW}.")
    row = the_row(text, match["name"], match["question"], match["inside"], round, rows)
    bound = bound_of(text, match["bound"], bool(match["percent"]), row["statistic"])
    target = SimpleNamespace(
        name=text.strip(),
        statistic=row["statistic"],
        question=row["question"],
        group=row["group"],
        at_least=bound if match["sign"] == ">=" else None,
        at_most=bound if match["sign"] == "<=" else None,
    )
    return target, row


def the_row(
    text: str, name: str, question: str | None, inside: str | None, round: str, rows: Sequence[Row]
) -> Row:
    from ..numbers.number import address, places
    from ..protocols.problems import hint

    of_it = [row for row in rows if row["statistic"] == name]
    if not of_it:
        every = sorted({row["statistic"] for row in rows})
        has = f"it has {', '.join(every)}.{hint(name, every)}"
        raise Refused(f"{round} has no number {name!r}: {has}")
    asked = list(dict.fromkeys(row["question"] for row in of_it if row["question"]))
    if question is not None and question not in asked:
        raise Refused(
            f"--require {text!r}: {name} of {round} is not of {question!r}: "
            + (f"choose {', '.join(asked)}." if asked else f"write {name} alone.")
        )
    whole = not asked or any(row["question"] is None for row in of_it)
    if question is None and len(asked) > 1 and not whole:
        raise Refused(
            f"--require {text!r}: {name} of {round} is asked of several questions: name one of "
            f"{', '.join(asked)}, as in {name}:{asked[0]}."
        )
    wanted = question if question is not None else None if whole else asked[0]
    of_it = [row for row in of_it if row["question"] == wanted]
    if inside is None:
        # The whole round goes before its groups, yet several readings of it are no one number.
        found = [row for row in of_it if not row["group"]] or of_it
    else:
        found = [row for row in of_it if says(inside, row)]
    if len(found) == 1:
        return found[0]
    columns = {part.partition("=")[0] for part in parts(inside or "")}
    near = sorted(
        found or of_it, key=lambda row: {k.partition("=")[0] for k in places(row)} != columns
    )
    offered = [address(row) for row in near]
    shown = ", ".join(offered[:LISTED])
    more = f" and {len(offered) - LISTED:,} more" if len(offered) > LISTED else ""
    what = "could be any of" if found else f"names no number of {round}: there are"
    raise Refused(f"--require {text!r} {what} {shown}{more}. Write one of them.")


def says(inside: str, row: Row) -> bool:
    """Whether these words in brackets name just this row; values may hold commas themselves."""
    from ..numbers.number import places

    wanted = plain(inside)
    own = places(row)
    for given in ([key for key in own if not key.startswith("aggregate=")], own):
        if given and (wanted == plain(",".join(given)) or parts(inside) == parts(",".join(given))):
            return True
    return False


def plain(text: str) -> str:
    return re.sub(r"\s*([,=])\s*", r"\1", text.strip())


def parts(text: str) -> Iterable[str]:
    """In whatever order they stand."""
    return sorted(plain(text).split(","))


def bound_of(text: str, written: str, percent: bool, statistic: str) -> float:
    """The bound as a fraction, or as it stands for what is no fraction."""
    from ..protocols.comparisons import facts

    try:
        bound = float(written)
    except ValueError:
        raise Refused(f"--require {text!r}: {written!r} is not a number; {HOW}.") from None
    fraction = facts(statistic).is_share
    if percent and not fraction:
        raise Refused(
            f"--require {text!r}: {statistic} is not a share, so a bound in % says nothing: "
            "leave the % out."
        )
    if percent:
        bound /= 100
    if abs(bound) > 1 and (fraction or facts(statistic).is_coefficient):
        kind = "a share" if fraction else "a coefficient"
        less = f"{bound / 100:g}"
        remedy = f"write {written}% or {less}" if fraction and not percent else "write .85, not 85"
        if percent:
            remedy = "at most 100% is possible"
        raise Refused(f"--require {text!r}: {statistic} is {kind} and never above 1: {remedy}.")
    return bound


@command(
    "how large must the next round be? widths and cost, with this round as the pilot",
    ROUND,
    arg("--measure", action="append", default=[], metavar="NUMBER", help="e.g. alpha_ordinal:tone"),
    arg("--width", type=float, metavar="W", help="how narrow intervals have to be"),
    arg("--items", default="", metavar="N,…", help="items to try (default: ½ to 8 times as many)"),
    arg("--raters", default="", metavar="K,…", help="raters to try (default: as here)"),
    arg("--per-item", default="", metavar="R,…", help="ratings of each item"),
    arg("--cluster-size", default="", metavar="C,…", help="items in a cluster"),
    arg(
        "--assume",
        action="append",
        default=[],
        metavar="NUMBER=VALUE[,ALIKE]",
        help="a coefficient in place of this round's own, and how alike items of a cluster are",
    ),
    arg("--coverage", type=float, default=0.95, metavar="P", help="of the intervals"),
    arg("--json", action="store_true"),
)
def plan(given: Namespace) -> None:
    sizes = {
        name: numbers_in(getattr(given, name), f"--{name.replace('_', '-')}", name)
        for name in ("items", "raters", "per_item", "cluster_size")
        if getattr(given, name)
    }
    found = chosen(given).forecast(
        measures=given.measure,
        sizes=sizes,
        width=given.width,
        coverage=given.coverage,
        assume={name: assumed(name, text) for name, text in pairs(given.assume).items()},
    )
    from ..reporting.forecast import lines, to_json

    if given.json:
        print(to_json(found))
        return
    for line in lines(found):
        print(line)


def numbers_in(text: str, option: str, name: str) -> list[float]:
    """Numbers with commas between them; people and items are whole ones."""
    found = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            value = 0.0
        if not 1 <= value <= 1e7 or (name != "cluster_size" and not value.is_integer()):
            what = "a number" if name == "cluster_size" else "a whole number"
            raise Refused(
                f"{option} {text!r}: {part.strip()!r} is not {what} from 1 to 10,000,000."
            )
        found.append(value)
    return found


def assumed(name: str, text: str) -> tuple[float, float]:
    value, _, alike = text.partition(",")
    try:
        return float(value), float(alike or 0)
    except ValueError:
        raise Refused(
            f"--assume {name}={text}: write a value and how alike items of a cluster are, as in "
            "alpha_ordinal:tone=.6 or alpha_ordinal:tone=.6,.2."
        ) from None
