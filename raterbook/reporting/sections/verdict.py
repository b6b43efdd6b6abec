"""The page's first sentence: what the round says, with its interval."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...numbers.number import UNTRUSTED, is_carried, is_shown, is_untrusted
from ...numbers.targets import is_measured, items_needed
from ...protocols.statistics import FIRM, STATISTICS, TENTATIVE, leading
from ..html import Section, bullets, heading, join, paragraph, part, table
from ..words import (
    CAUTIONS,
    DECIDED,
    between,
    capital,
    cautions,
    count,
    estimated,
    judged,
    listing,
    marks,
    name_of,
    number,
    percent,
    reason,
    say,
)
from .machines import commonest_error
from .reading import copied
from .systems import comparison, of_many, opening, outcome, turned
from .trust import coefficients

if TYPE_CHECKING:
    from ..report import Report


def verdict(report: Report) -> Section:
    """What the round says, in one sentence with its interval."""
    targets = [target for target in report.numbers.targets if is_measured(target)]
    lines = [part("top", report.protocol.title, report.stored.name)]
    look = report.numbers.look
    if not len(report.counted.people):
        nothing = "Nobody has answered yet, so there is nothing to report."
        lines.append(paragraph(look["sentence"] if look else nothing, "verdict"))
        lines += [paragraph(line, "soft") for line in aside(report)]
        return Section("Verdict", join(lines), heading=False)
    lines += [paragraph(f"Look at this first. {line}", "also") for line in copied(report)]
    for place, target in enumerate(targets):
        kind = "verdict" if place == 0 else "also"
        said = sentence(target, report.whose(target["question"]))
        lines.append(part("standing", kind, target["verdict"], said))
        if place == 0 and (error := commonest_error(report)):
            lines.append(paragraph(error, "also"))
    if not targets:
        first, *others = headline(report)
        lines.append(paragraph(first, "verdict"))
        lines += [paragraph(line, "also") for line in others]
    if look:
        lines.append(paragraph(look["sentence"], "also"))
    lines.append(paragraph(counts(report), "soft"))
    lines += [paragraph(line, "soft") for line in aside(report)]
    return Section("Verdict", join(lines), heading=False)


def sentence(target: dict[str, Any], whose: str = "") -> str:
    """“Labels match: 86 of 100 (78–92 %), target at least 85 %: not decided.”

    `whose` stands behind the name where the answers are not people's alone.
    """
    name = target["name"] + whose
    statistic = target["statistic"]
    bound = number(target["target"], statistic)
    direction = "at least" if target["direction"] == "at_least" else "at most"
    if target["value"] is None:
        said = reason(target["reason"])
        return f"{name}: undefined, because {said}; target {direction} {bound}."
    shown = estimated(target)
    if statistic == "percent_match":
        of = target.get("n_items") or 0
        shown = f"{round(target['value'] * of):,} of {of:,}"
    ends = between(target)
    shown += f" ({ends})" if ends else ""
    said = DECIDED[target["verdict"]]
    if target["verdict"] == "undecided":
        side = "though the estimate meets it" if target["met"] else "the estimate is short of it"
        said += f", {side}"
    if ends:
        said += caveat(target)
    return f"{name}: {shown}, target {direction} {bound}: {said}."


def caveat(target: dict[str, Any]) -> str:
    """What keeps a reader from leaning on the interval, the gravest, as the end of the sentence."""
    return next((each.closing for each in reversed(cautions(target)) if each.closing), "")


def counts(report: Report) -> str:
    """How much there is behind the page, in one line."""
    people = report.counted.people
    nobody = "" if "human" in report.kinds.values() else ", no person"
    items = people["item"].dropna().nunique() or people["case"].nunique()
    parts = [
        count(items, "item"),
        f"{report.who}{nobody}",
    ]
    asked = report.asked
    if asked.share is not None:
        parts.append(
            f"{percent(asked.share)} % of the {asked.what} ({asked.given:,} of {asked.required:,})"
        )
    else:
        parts.append(count(len(people), "answer"))
    return " · ".join(parts)


def aside(report: Report) -> list[str]:
    """Whose answers are not among them, and what was asked for other than usual."""
    said = [*by_models(report), *unmeasured(report)]
    said += [
        f"Left out: {name}, excluded ({why}), {count(answers, 'answer')}."
        for name, why, answers in report.asked.away
    ]
    other = report.parameters.other()
    if report.sight is not None:
        other.pop("coverage", None)  # the look's own, which its sentence says
    if other:
        named = [f"{name} {shown(value)}" for name, value in other.items()]
        said.insert(0, f"Made with other than the usual parameters: {'; '.join(named)}.")
    return said


def by_models(report: Report) -> list[str]:
    """Where people count, the questions that models answered in their stead, or beside them."""
    known = {question.id: question.label for question in report.protocol.questions}
    mixed = [(known[name], kinds) for name, kinds in report.mixed.items() if name in known]
    alone = [label for label, kinds in mixed if kinds == {"model"}]
    both = [label for label, kinds in mixed if len(kinds) > 1]
    said = []
    if alone:
        models = sorted(name for name, kind in report.kinds.items() if kind == "model")
        verb = "stands" if len(models) == 1 else "stand"
        line = f"No person answered {listing(alone)}: there {listing(models)} {verb} alone, marked "
        line += f"as {'a model' if len(models) == 1 else 'models'}."
        over = {
            row["raters"] == "model"
            for row in report.numbers.rows
            if row["question"] is None
            and row["estimate"] is not None
            and row["statistic"] != "completeness"
        }
        if over == {False}:
            them = "it" if len(alone) == 1 else "them"
            line += f" Numbers over all questions leave {them} out."
        said.append(line)
    if both:
        said.append(f"Answers of people and of models count alike on {listing(both)}.")
    return said


def unmeasured(report: Report) -> list[str]:
    """One quiet line on targets that nobody's answers speak of."""
    if not len(report.counted.people):
        return []
    found: dict[str, list[str]] = {}
    for target in report.numbers.targets:
        if not is_measured(target):
            found.setdefault(reason(target["reason"]), []).append(target["name"])
    return [f"Not measured, as {why}: {listing(names)}." for why, names in found.items()]


def shown(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name} {each}" for name, each in value.items()]
    return listing(value) if isinstance(value, list | tuple) else str(value)


# Without targets: which system is ahead, where their paired difference bears it out.


LEVELS = ((FIRM, "firm"), (TENTATIVE, "enough for tentative conclusions"), (-1.0, "weak"))
COVERAGE = (
    ("recall", "covers more of the reference"),
    ("precision", "is more exact on what it covers"),
)
MOST_PAIRS = 4
FEW_ITEMS = 10  # below this no forecast of how many would settle a target
FEW_QUESTIONS = 4  # below which they are named
MOST_NAMED = 5  # systems that the first sentence names with their numbers
LEFT_OUT = "proportion_excluded"  # the share that is in no other one


def headline(report: Report) -> list[str]:
    """One or two sentences; the first is the page's verdict."""
    if report.rows("recall"):
        said = [
            ranking(report, name, None, ahead)
            or next((whole(report, row) for row in report.rows(name)), None)
            for name, ahead in COVERAGE
        ]
        return [line for line in said if line]
    row = telling(report)
    if row is None:
        return ["No number of this protocol can be computed from these answers yet."]
    lines = [ranking(report, row["statistic"], row["question"]) or whole(report, row)]
    agreement = trusted(report)
    return [*lines, agreement] if agreement else lines


def telling(report: Report) -> dict[str, Any] | None:
    rows = [
        row
        for row in report.numbers.rows
        if row["estimate"] is not None and not row["group"] and row["statistic"] != "completeness"
    ]
    for wanted in leading():
        for row in rows:
            if row["statistic"] == wanted:
                return row
    for row in rows:
        if row["statistic"].startswith("proportion_") or row["statistic"] == "mean":
            return row
    return next(iter(rows), None)


def whole(report: Report, row: dict[str, Any]) -> str:
    if row["statistic"] == LEFT_OUT:
        whose = report.whose(row["question"])
        return f"{say(row)} of the ratings{whose} could not be assessed or made no claim."
    if row["estimate"] is None and row["statistic"] in ("recall", "precision"):
        return unanswered(report, row)
    what = name_of(row["statistic"])
    if row["statistic"].startswith("proportion_"):
        what = capital(answers_of(report, row["statistic"], row["question"]))
    elif row["question"] and row["statistic"] not in ("recall", "precision"):
        what += f" of {report.label(row['question'])}"
    return f"{what}: {say(row)}."


def unanswered(report: Report, row: dict[str, Any]) -> str:
    """Why there is no recall, by what the round has: questions, and answers to them."""
    stored = sum(len(parts) for parts in report.case_parts.values())
    what = name_of(row["statistic"])
    if not stored:
        return f"{what}: none: {reason(row['reason'])}."
    rows = report.counted.given
    missing = [
        words
        for question, words in (
            ("reference_answer", "from the references"),
            ("generated_answer", "from the texts"),
        )
        if not rows["question"].eq(question).any()
    ]
    if missing:
        questions = f"{count(stored, 'question')} {'is' if stored == 1 else 'are'} stored"
        return f"{what}: none yet: {questions}, and nobody has answered {listing(missing, 'or')}."
    return f"{what}: none: {reason(row['reason'])}."


def ranking(
    report: Report, statistic: str, question: str | None, ahead: str | None = None
) -> str | None:
    """Systems by one number: who is ahead, and whether the paired difference shows it."""
    if report.system is None or statistic == LEFT_OUT:
        return None  # what nobody could assess puts no system ahead
    rows = [
        row for row in report.by(statistic, report.system, question) if row["estimate"] is not None
    ]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: -row["estimate"])
    names = [str(row["group"][report.system]) for row in rows]
    what = phrase(report, statistic, question)
    if len(rows) > 2:
        return several(report, statistic, question, rows, names, what)
    gap = comparison(report, statistic, question, names[0], names[1])
    if gap is not None and (gap["estimate"] or 0) < 0:
        # On the cases both answered it is the other way round than over all.
        gap, names, rows = turned(gap), names[::-1], rows[::-1]
    shown = [number(row["estimate"], statistic) for row in rows]
    first = opening(report, gap, f"{names[0]} {ahead or f'is ahead of {names[1]}'}", names)
    end = outcome(report, gap)
    return f"{first}: {what} {shown[0]} against {shown[1]}{end and f', {end}'}."


def several(
    report: Report,
    statistic: str,
    question: str | None,
    rows: list[dict[str, Any]],
    names: list[str],
    what: str,
) -> str:
    """More than two: their order, and which of the pairs are told apart."""
    if len(names) > MOST_NAMED:
        return first_of(report, statistic, question, rows, names, what)
    order = listing(
        [
            f"{name} {number(row['estimate'], statistic)}"
            for name, row in zip(names, rows, strict=True)
        ]
    )
    gaps = [
        (a, b, comparison(report, statistic, question, a, b)) for a, b in combinations(names, 2)
    ]
    apart = [
        f"{a} before {b}" if gap["estimate"] > 0 else f"{b} before {a}"
        for a, b, gap in gaps
        if gap is not None and is_shown(gap, report.parameters.coverage)
    ]
    if not any(gap is not None and gap["low"] is not None for _, _, gap in gaps):
        end = "the pairs could not be compared case by case, so the order may be chance"
    elif not apart:
        end = f"no difference is shown{of_many(report, ' among')}"
    else:
        end = f"shown{of_many(report, ', corrected for')}: {listing(apart, limit=MOST_PAIRS)}"
    return f"{capital(what)}, highest first: {order}; {end}."


def first_of(
    report: Report,
    statistic: str,
    question: str | None,
    rows: list[dict[str, Any]],
    names: list[str],
    what: str,
) -> str:
    """Many systems: the first and the last, and of whom the first is told apart."""
    first, *others = names
    gaps = {name: comparison(report, statistic, question, first, name) for name in others}
    ahead = [
        name
        for name, gap in gaps.items()
        if gap is not None and is_shown(gap, report.parameters.coverage) and gap["estimate"] > 0
    ]
    top, last = (number(row["estimate"], statistic) for row in (rows[0], rows[-1]))
    said = (
        f"{capital(what)} of {len(names)} systems: highest {first} {top}, lowest {names[-1]} {last}"
    )
    if not any(gap is not None and gap["low"] is not None for gap in gaps.values()):
        return f"{said}; they could not be compared case by case, so the order may be chance."
    many = of_many(report, ", corrected for")
    if not ahead:
        return f"{said}; that {first} is ahead of any other is not shown{many}."
    level = [name for name in others if name not in ahead]
    said += f"; {first} is shown to be ahead of {len(ahead)} of the {len(others)} others{many}"
    return f"{said}, not of {listing(level, 'or', limit=MOST_PAIRS)}." if level else f"{said}."


def phrase(report: Report, statistic: str, question: str | None) -> str:
    if statistic in ("overall_mean", "overall_computed_mean"):
        return "mean score"
    if statistic == "mean":
        return f"mean {(report.label(question) if question else 'score').lower()}"
    if statistic in ("recall", "precision"):
        return statistic
    return f"{answers_of(report, statistic, question)} in"


def answers_of(report: Report, statistic: str, question: str | None) -> str:
    """“accurate answers”; what a protocol of one's own calls a share, with the question."""
    said = name_of(statistic).lower()
    if statistic in STATISTICS or question is None:
        return f"{said} answers{report.whose(question)}"
    return f"“{said}” answers to {report.label(question)}"


def level(value: float) -> str:
    """An α in words."""
    return next(word for bound, word in LEVELS if value >= bound)


def trusted(report: Report) -> str | None:
    """One sentence on agreement, so that nobody reads the ranking without it.

    An ordinal α and an interval α are no common range: each kind of scale is said by itself.
    """
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in coefficients(report):
        kinds.setdefault(row["statistic"], []).append(row)
    if not kinds:
        return None
    said = [in_words(report, rows, len(kinds) > 1) for rows in kinds.values()]
    alone = len(said) == 1 and not said[0][1]
    begun = "By the estimate alone, agreement" if alone else "Agreement"
    each = [words if sure or alone else f"{words}, by the estimate alone" for words, sure in said]
    return f"{begun} among {report.people}s is {'; '.join(each)}."


def in_words(report: Report, rows: list[dict[str, Any]], several: bool) -> tuple[str, bool]:
    """“weak at its lowest (α 0.36 to 0.71 over 5 questions)”, and whether intervals carry it."""
    rows = sorted(rows, key=lambda row: row["estimate"])
    values = [row["estimate"] for row in rows]
    span = " to ".join(judged(value, level) for value in dict.fromkeys((values[0], values[-1])))
    on, over = "", "" if len(values) == 1 else f" over {count(len(values), 'question')}"
    if several and len(values) < FEW_QUESTIONS:
        on, over = f" on {listing([report.label(row['question']) for row in rows])}", ""
    lowest, highest = level(values[0]), level(values[-1])
    where = "" if lowest == highest else " at its lowest"
    # Of the lowest it is said where they differ, of each where they do not.
    sure = all(is_carried(row, level) for row in (rows[:1] if where else rows))
    return f"{lowest}{where}{on} (α {span}{over})", sure


# Estimate against target in one figure and one table, and what would settle the undecided.


def targets(report: Report) -> Section | None:
    """Each target with its estimate, and what would settle the undecided."""
    found = [target for target in report.numbers.targets if is_measured(target)]
    if not found or not len(report.counted.people):
        return None
    drawn = [target for target in found if target["value"] is not None]
    picture = ""
    if drawn:
        from ..figures.rows import targets_figure
        from ..figures.rows import targets_finding as finding

        alt = f"{finding(drawn)}. " + " ".join(
            sentence(target, report.whose(target["question"])) for target in drawn
        )
        caption = (
            "A target is decided once the whole interval lies on one side of it. "
            f"Intervals cover {percent(report.parameters.coverage)} % and speak of these raters."
        )
        picture = report.picture("targets", targets_figure(named(report, drawn)), alt, caption)
    rows = [
        (
            target["name"] + report.whose(target["question"]),
            estimated(target),
            between(target) + marks(target),
            ("≥ " if target["direction"] == "at_least" else "≤ ")
            + number(target["target"], target["statistic"]),
            "yes" if target["met"] else "no",
            DECIDED[target["verdict"]],
        )
        for target in found
    ]
    head = ("Target", "Estimate", "Interval", "Asked", "By the estimate", "By the interval")
    settled = settle(report)
    more = heading("What would settle it") + bullets(settled) if settled else ""
    caption = "By the estimate, as the documents have it, and by the interval"
    return Section("Targets", picture + more + table(head, rows, caption))


def waiting(target: dict[str, Any]) -> str:
    """What a target waits for that has no value, or no interval."""
    why = target["reason"]
    if why is None:
        return "no interval was made of it, so nothing decides it."
    if target["value"] is None:
        return f"it has no value, as {reason(why)}."
    more = "more answers; " if why in ("too_few_units", "too_few_units_for_interval") else ""
    return f"{more}there is no interval to decide by, as {reason(why)}."


def named(report: Report, targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The targets under the names the page has for them."""
    return [
        {**target, "name": target["name"] + report.whose(target["question"])} for target in targets
    ]


def settle(report: Report) -> list[str]:
    """For each undecided target, how many items like these would decide it."""
    said = []
    for target in report.numbers.targets:
        if target["verdict"] != "undecided" or not is_measured(target):
            continue
        if target["value"] is None or target["low"] is None:
            said.append(f"{target['name']}: {waiting(target)}")
            continue
        if is_untrusted(target):
            how = CAUTIONS[UNTRUSTED].settling.replace("{items}", f"{target['n_items']:,}")
            said.append(f"{target['name']}: {how}")
            continue
        needed = items_needed(target, target["n_items"])
        if needed is None and target["n_items"] < FEW_ITEMS:
            many = count(target["n_items"], "item")
            said.append(f"{target['name']}: more items; {many} cannot tell how many.")
            continue
        if needed is None:
            said.append(
                f"{target['name']}: no reasonable number of items. The estimate "
                f"({estimated(target)}) lies too near its target; look "
                "at what is measured, or at the target itself."
            )
            continue
        side = "met" if target["met"] else "missed"
        said.append(
            f"{target['name']}: about {count(needed, 'item')} instead of {target['n_items']:,}, if "
            f"the estimate stays at {estimated(target)}; it would then "
            f"be {side}." + "".join(each.settling for each in cautions(target))
        )
    return said
