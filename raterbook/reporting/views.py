"""Ways to look at a round: each a function of its answers that gives a frame and a figure.

`Explore` shows them and hands on their source, so a function here uses nothing but what this file
imports and the helpers at its end. A figure's title says what it shows, and no more than
its interval carries; a view that has nothing to show raises `NothingToSee` with the reason.
"""

# The parameters are the same throughout: `answers` as `chosen` leaves them, `question` or
# `questions` by id, `by` a column to split by.
import numpy as np
import pandas as pd
import seaborn
from matplotlib import pyplot as plt

from raterbook.analysis import Interval, Ratings, against, alpha, difference, influence, mean
from raterbook.numbers.counted import count
from raterbook.reporting.figures import INK, LINE, SOFT, ascending, shortened
from raterbook.reporting.figures import names as cut
from raterbook.reporting.figures.planes import DEEP, PALE
from raterbook.reporting.leanings import beyond, gaps


class NothingToSee(ValueError):
    """Why a view stays empty in this round."""


def distributions(answers, question, scale=(), by="rater"):
    """Who gave which values: a bar for each rater, system or group, in the order of the scale."""
    rows = answers[answers["question"].eq(question)].dropna(subset=[by])
    if rows.empty:
        raise NothingToSee(f"Nobody answered {question} where {by} is known.")
    counts = pd.crosstab(rows[by].astype(str), rows["value"].astype(str))
    scale = ordered(counts, scale)
    frame = counts[scale].div(counts.sum(axis=1), axis=0)
    figure, ax = plt.subplots(figsize=(6.2, 1.5 + 0.3 * len(frame)))
    colours = seaborn.blend_palette([PALE, DEEP], len(scale))
    frame.iloc[::-1].plot.barh(stacked=True, ax=ax, color=colours, edgecolor=SOFT, width=0.78)
    ax.set(xlim=(0, 1), xlabel=f"share of the answers to {question}", ylabel="")
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}\u00a0%")
    by_five, place = min(len(scale), 5), (0, 1)
    ax.legend(cut(scale), ncols=by_five, loc="lower left", bbox_to_anchor=place, frameon=False)
    most = frame.mean().idxmax()
    low, high = frame[most].min(), frame[most].max()
    said = f"{question}: “{most}” is commonest, {frame[most].mean():.0%} of a {by}'s answers"
    if low != high:  # else all give it alike often
        said += f", from {low:.0%} to {high:.0%}"
    return frame, titled(figure, said)


def correlations(answers, questions):
    """Do criteria go together? Rank correlations over all that one rater said of one unit."""
    rows = answers[answers["question"].isin(questions)]
    table = rows.pivot_table("number", ["unit", "rater"], "question", observed=True)
    table = table.reindex(columns=[q for q in questions if q in table])
    frame = table.corr("spearman", min_periods=10)
    away = frame.where(~np.eye(len(frame), dtype=bool))
    if away.stack().dropna().empty:
        why = "were answered together ten times" if len(frame) > 1 else "here have scores"
        raise NothingToSee(f"No two questions {why}, so there is nothing to correlate.")
    figure = heat(away, ".2f")
    first, second = away.stack().dropna().idxmax()
    most = away.stack().dropna().max()
    said = f"{first} and {second} go together most: Spearman {most:.2f}; no interval is drawn"
    if most <= 0:
        said = f"No two criteria go together: Spearman is at most {most:.2f}"
    return frame, titled(figure, said)


def length(answers, question, lengths):
    """Do longer texts score higher? A point for each unit; `lengths` are signs by unit."""
    rows = answers[answers["question"].eq(question)]
    of_unit = rows.groupby("unit", observed=True)
    columns = {"length": pd.Series(lengths), "score": of_unit["number"].mean()}
    frame = pd.DataFrame(columns | {"draw": of_unit["draw"].first()}).dropna()
    if len(frame) < 8 or frame["length"].nunique() < 3 or frame["score"].nunique() < 2:
        raise NothingToSee("It takes eight units of different lengths and scores.")
    both = frame.rename_axis("unit").reset_index()
    both = both.melt(["unit", "draw"], ["length", "score"], "rater", "value")
    (found,) = against(Ratings(both, cluster="draw"), "score", names=["spearman"]).itertuples()
    figure, ax = plt.subplots(figsize=(6.2, 3))
    ax.plot(frame["length"], frame["score"], "o", color=SOFT, markerfacecolor="none", markersize=4)
    ax.set(xlabel="signs in the item's texts", ylabel=f"mean of {question}")
    sure, said = frame["draw"].nunique() >= 10, "That longer items score otherwise is not shown"
    if sure and found.low is not None and not found.low <= 0 <= found.high:
        said = f"Longer items score {'higher' if found.low > 0 else 'lower'}"
    ends = "; no interval" if found.low is None else f" ({found.low:.2f} to {found.high:.2f})"
    return frame, titled(figure, f"{said}: Spearman {found.estimate:.2f}{ends}")


def order(answers, question):
    """Does a rater turn stricter as they go on? Scores against the others', by tenth of the work.

    A rater's units are put in the order in which they were answered; without times there is none.
    """
    rows = answers[answers["question"].eq(question)].dropna(subset=["answered_at", "number"])
    table = rows.pivot_table("number", "unit", "rater", observed=True)
    others = table.apply(lambda own: own - table.drop(columns=own.name).mean(axis=1))
    gaps = others.stack().dropna().rename("gap").reset_index()
    by_answer = rows.groupby(["unit", "rater"], observed=True)
    times = by_answer.agg({"answered_at": "min", "draw": "first"}).reset_index()
    frame = gaps.merge(times, on=["unit", "rater"])
    if len(frame) < 20 or frame["answered_at"].nunique() < len(frame) / 2:
        raise NothingToSee("It takes twenty answers that others gave too, each with its own time.")
    place = frame.groupby("rater", observed=True)["answered_at"].rank(pct=True)
    frame["tenth"] = np.ceil(place * 10).clip(1, 10).astype(int)
    frame = intervals(frame, "tenth", "gap")
    figure = curve(frame, "tenth of a rater's work, in the order of answering", "above the others")
    figure.axes[0].axhline(0, linestyle=":", color=SOFT)
    first, last = frame.loc[frame.index.min()], frame.loc[frame.index.max()]
    change = last["mean"] - first["mean"]
    said = f"{question}: from the first tenth to the last scores change by {change:+.2f}"
    return frame, titled(figure, said if apart(first, last) else f"{said}, within their intervals")


def time(answers):
    """How long an answer takes, rater by rater: the middle half of the seconds, and the median."""
    rows = answers[answers["seconds"].gt(0)]
    frame = rows.groupby("rater", observed=True)["seconds"].describe(percentiles=[0.25, 0.5, 0.75])
    frame = frame[["count", "25%", "50%", "75%"]].dropna().sort_values("50%")
    if frame.empty:
        raise NothingToSee("No answer has a time; files that are imported seldom bring one.")
    figure, ax = plt.subplots(figsize=(6.2, 1 + 0.32 * len(frame)))
    at = np.arange(len(frame))
    ax.hlines(at, frame["25%"], frame["75%"], color=SOFT, linewidth=4)
    ax.plot(frame["50%"], at, "o", color=INK)
    ax.set_yticks(at, frame.index.astype(str))
    ax.set(xlabel="seconds an answer: the middle half, and the median", xlim=(0, None))
    fast, slow = frame["50%"].min(), frame["50%"].max()
    said = f"An answer takes {fast:.0f} s in the middle"
    if len(frame) > 1:
        said = f"An answer takes a rater {fast:.0f} to {slow:.0f} s in the middle"
    return frame, titled(figure, said)


def certainty(answers, question):
    """Are raters surer of high scores? The mean score by stated confidence."""
    rows = answers[answers["question"].eq(question)].dropna(subset=["confidence", "number"])
    if rows["confidence"].nunique() < 2:
        raise NothingToSee(f"Nobody stated a confidence in {question} that differs from another.")
    bins = pd.cut(rows["confidence"], [-1, 50, 60, 70, 80, 90, 100])
    middle = bins.map(lambda bin: f"{max(bin.left, 0):.0f}–{bin.right:.0f}").astype(str)
    frame = intervals(rows.assign(bin=middle), "bin", "number")
    frame = frame.loc[sorted(frame.index, key=lambda name: int(name.split("–")[0]))]
    figure = curve(frame, "stated confidence, %", f"mean of {question}")
    first, last = frame.iloc[0], frame.iloc[-1]
    said = f"{question} where raters are surest: {last['mean']:.2f}, least sure {first['mean']:.2f}"
    return frame, titled(figure, said if apart(first, last) else f"{said}; their intervals overlap")


def systems(answers, question, system, by=None):
    """Each system's mean with its interval; `by` a group, each group by itself."""
    rows = answers[answers["question"].eq(question)].dropna(subset=[system, "number"])
    if rows.empty:
        raise NothingToSee(f"{question} has no numbers with a {system}.")
    keys = [by, system] if by else [system]
    rows = rows.assign(line=rows[keys].astype(str).agg(" · ".join, axis=1))
    frame = intervals(rows, "line", "number").sort_index(ascending=False)
    figure = dots(frame, f"mean of {question}, with its interval")
    best, worst = frame["mean"].idxmax(), frame["mean"].idxmin()
    said = f"{question} is highest for {best} ({frame.loc[best, 'mean']:.2f})"
    if len(frame) > 1:
        said += f", lowest for {worst} ({frame.loc[worst, 'mean']:.2f})"
        if not frame.loc[best, "low"] > frame.loc[worst, "high"]:
            said += "; their intervals overlap"
    return frame, titled(figure, said)


def differences(answers, question, system, first, second):
    """Two systems on the same cases: the difference in each, in order, and their mean."""
    rows = answers[answers["question"].eq(question) & answers[system].isin([first, second])]
    table = rows.pivot_table("number", "case", system, observed=True)
    table = table.reindex(columns=[first, second]).dropna()
    if len(table) < 2:
        raise NothingToSee(f"Fewer than two cases have {question} for both {first} and {second}.")
    frame = table.assign(difference=table[first] - table[second]).sort_values("difference")
    draws = rows.groupby("case", observed=True)["draw"].first().reindex(table.index)
    found = difference(
        *(Ratings(pd.DataFrame({"unit": table.index, "rater": "mean", "value": table[name].values,
                                "draw": draws.values}), cluster="draw") for name in (first, second))
    )  # fmt: skip
    first, second = cut([first, second], 20)
    figure, ax = plt.subplots(figsize=(6.2, 2.8))
    ax.bar(np.arange(len(frame)), frame["difference"], color=SOFT, width=0.8)
    ax.axhline(frame["difference"].mean(), color=INK)
    ax.axhline(0, linestyle=":", color=SOFT)
    ax.set(
        xlabel="cases, in the order of their difference", ylabel=f"{first} − {second}", xticks=[]
    )
    said = f"{question}: {first} − {second} is {found.value:+.2f} on the same cases"
    if found.low is not None:
        said += f" ({found.low:+.2f} to {found.high:+.2f})"
    return frame, titled(figure, said)


def mixed(answers, question, system, by):
    """Does the lead of a system depend on the group? A mixed model: group × system and rater as
    fixed effects, cases as random ones."""
    import re
    import warnings
    from contextlib import suppress

    from statsmodels.formula.api import mixedlm, ols
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, SingularMatrixWarning

    singular = "Random effects covariance is singular"
    rows = answers[answers["question"].eq(question)].dropna(subset=["number", system, by])
    rows = pd.DataFrame(
        {"score": rows["number"], "system": rows[system].astype(str), "group": rows[by].astype(str),
         "rater": rows["rater"].astype(str), "case": rows["case"].astype(str),
         "draw": rows["draw"].astype(str)}
    )  # fmt: skip
    # A formula reads “:” and more in names as signs of its own: it is given numbers in their place.
    named = {word: pd.Categorical(rows[word]).categories for word in ("group", "system", "rater")}
    rows = rows.assign(**{word: pd.Categorical(rows[word]).codes for word in named})
    few = rows.groupby(["system", "group"])["case"].nunique().min() if len(rows) else 0
    if rows["system"].nunique() < 2 or rows["group"].nunique() < 2 or few < 3:
        raise NothingToSee(f"It takes two of {system} and of {by}, each pair on three cases.")
    raters = " + C(rater)" if rows["rater"].nunique() > 1 else ""
    model = f"score ~ C(group) * C(system){raters}"
    apart, fit = rows["draw"].nunique() == rows["case"].nunique(), None
    if not apart and rows["draw"].nunique() < 10:
        raise NothingToSee("Cases come from sources, and of these it takes ten.")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.simplefilter("error", SingularMatrixWarning)
        warnings.filterwarnings("error", singular, UserWarning)
        # What is left of all three: cases have no variance of their own.
        with suppress(np.linalg.LinAlgError, UserWarning):
            fit = mixedlm(model, rows, groups="case").fit(method="lbfgs") if apart else None
    names, how = list(fit.fe_params.index) if fit else [], "mixed model"
    if fit is None:  # then least squares, with errors by what is drawn together
        codes = rows["draw"].astype("category").cat.codes
        fit = ols(model, rows).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
        how = f"least squares, errors by {'case' if apart else 'cluster'}"
        names = list(fit.params.index)
    ends = fit.conf_int()
    frame = pd.DataFrame({"mean": fit.params, "low": ends[0], "high": ends[1], "p": fit.pvalues})
    crossed = [name for name in names if ":" in name]
    frame = frame.loc[[n for n in names if "rater" not in n and n != "Intercept"]]
    marks = [re.findall(r"C\((group|system)\)\[T\.(\d+)\]", name) for name in frame.index]
    frame.index = [" × ".join(named[word][int(code)] for word, code in each) for each in marks]
    figure = dots(frame.iloc[::-1], f"effect on {question}, with its interval", zero=True)
    # All crossed effects at once: Wald's test, which does not depend on the first group's name.
    place = np.array([[float(n == name) for n in fit.params.index] for name in crossed])
    p = float(fit.wald_test(place, scalar=True).pvalue)
    said = "depends on" if p < 0.05 else "is not shown to depend on"
    shown = "p < .001" if p < 0.001 else f"p {p:.3f}"
    return frame, titled(figure, f"{question}: the lead of a {system} {said} {by} ({shown}, {how})")


def severity(answers, questions):
    """Who scores above or below the others, on the same units; 95 % for all raters together."""
    rows = answers[answers["question"].isin(questions)].dropna(subset=["number"])
    score = rows.groupby(["question", "unit"], observed=True)["number"]
    others = (score.transform("sum") - rows["number"]) / (score.transform("size") - 1)
    rows = rows.assign(others=others, cluster=rows["draw"]).dropna(subset=["others"])
    if rows.empty:
        raise NothingToSee("Nobody scored what somebody else scored too.")
    reach = float(np.ptp(rows["number"])) or 1.0
    own, others = (rows[name].to_numpy(float) for name in ("number", "others"))
    frame = gaps(rows, own, others, 0.95, most=reach).set_index("rater")
    frame = frame.rename(columns={"gap": "mean"})[["mean", "low", "high", "n"]].astype(float)
    figure = dots(frame, "above (+) or below (−) the others on the same units", zero=True)
    off = frame[beyond(frame)]["mean"]
    named = ", ".join(f"{name} {lean:+.2f}" for name, lean in off.items())
    said = f"Beyond chance from the others: {named}"
    return frame, titled(figure, said if named else "Nobody is shown to lean beyond chance")


def splitting(answers, questions, most=10):
    """The units raters differ on most: the spread of their scores, in parts of each scale."""
    rows = answers[answers["question"].isin(questions)]
    table = rows.pivot_table("number", "unit", ["question", "rater"], observed=True)
    if table.empty:  # labels: the share that did not give the commonest one
        many = rows.groupby(["unit", "question", "value"], observed=True).size()
        of = many.groupby(["unit", "question"]).agg(["max", "sum"])
        gaps = (1 - of["max"] / of["sum"]).unstack()
        how = "share of the answers that are not the commonest"
    else:
        spans = table.T.groupby("question").agg(lambda one: one.max() - one.min()).T
        scale = rows.groupby("question", observed=True)["number"].agg(lambda s: s.max() - s.min())
        gaps = spans / scale.where(scale > 0)
        how = "how far apart, in parts of the scale"
    frame = gaps.assign(apart=gaps.max(axis=1)).dropna(subset=["apart"])
    frame = frame[frame["apart"] > 0].sort_values("apart", ascending=False, kind="stable")
    if frame.empty:
        raise NothingToSee("Raters gave the same answers throughout, or no unit was rated twice.")
    shown = frame.head(most).iloc[::-1]
    figure, ax = plt.subplots(figsize=(6.2, 1 + 0.27 * len(shown)))
    ax.barh(shown.index.astype(str), shown["apart"], color=SOFT)
    ax.set(xlabel=how, xlim=(0, 1))
    units = f"{len(frame):,} unit{'s' * (len(frame) != 1)}"
    return frame, titled(figure, f"Raters differ on {units}, most on {frame.index[0]}")


def confidence(answers, questions):
    """Does confidence mean anything? How far surer and less sure answers lie from the others'."""
    rows = answers[answers["question"].isin(questions)].dropna(subset=["confidence", "number"])
    many = rows.groupby(["question", "unit"], observed=True)["number"]
    others = (many.transform("sum") - rows["number"]) / (many.transform("size") - 1)
    rows = rows.assign(distance=(rows["number"] - others).abs()).dropna(subset=["distance"])
    if rows["confidence"].nunique() < 3:
        raise NothingToSee("It takes three different confidences beside answers of others.")
    parts = min(5, rows["confidence"].nunique())
    bins = pd.qcut(rows["confidence"], parts, duplicates="drop")
    middle = rows["confidence"].groupby(bins, observed=True).transform("mean").round(1)
    frame = intervals(rows.assign(bin=middle), "bin", "distance").sort_index()
    figure = curve(frame, "stated confidence, %", "points from the others")
    figure.axes[0].set_ylim(0, None)
    first, last = frame.iloc[0], frame.iloc[-1]
    said = (
        f"The surest answers lie {last['mean']:.2f} from the others', the least {first['mean']:.2f}"
    )
    return frame, titled(figure, said if apart(first, last) else f"{said}; their intervals overlap")


def pairs(answers, questions):
    """Who gives whose answers? The share of common answers that are the same."""
    rows = answers[answers["question"].isin(questions)]
    table = rows.pivot_table("value", ["question", "unit"], "rater", aggfunc="first", observed=True)
    frame, shared = pd.DataFrame(np.nan, table.columns, table.columns), set()
    for first in table:
        for second in table.columns.drop(first):
            both = table[[first, second]].dropna()
            if len(both):
                frame.loc[first, second] = both[first].eq(both[second]).mean()
                shared.add(len(both))
    if not shared:
        raise NothingToSee("No two raters answered the same question about the same unit.")
    figure = heat(frame, ".0%")
    low, high = (f"{end:.0%}" for end in (frame.min().min(), frame.max().max()))
    said = f"Two raters give the same answer in {low if low == high else f'{low} to {high}'} of "
    many = " to ".join(dict.fromkeys(f"{end:,}" for end in (min(shared), max(shared))))
    return frame, titled(figure, f"{said}the {many} answers they have in common")


def dropping(answers, questions, level):
    """What leaving a rater out would do to Krippendorff's α, question by question."""
    found = []
    for question in questions:
        rows = answers[answers["question"].eq(question)]
        values = "value" if level == "nominal" else "number"
        rows = rows[["unit", "rater", values]].dropna().rename(columns={values: "value"})
        if rows["rater"].nunique() < 3:
            continue
        whole = alpha(rows, level, interval=None).value
        without = influence(rows, level)
        if whole is not None and len(without):
            found.append(without.assign(question=question, whole=whole))
    if not found:
        raise NothingToSee("It takes three raters of one question, of whom one could be left out.")
    frame = pd.concat(found).pivot_table("change", "rater", "question", observed=True)
    frame = frame.reindex(columns=[q for q in questions if q in frame])
    reach = float(np.nanmax(np.abs(frame.to_numpy()))) or 1.0
    figure = heat(frame, "+.2f", ("change of α", "without"), (-reach, reach))
    rater, question = frame.stack().dropna().abs().idxmax()
    change = frame.loc[rater, question]
    said = (
        f"The largest change: α of {question} without {rater}, {change:+.2f}; no interval is drawn"
    )
    return frame, titled(figure, said)


def confusion(answers, questions, scale=()):
    """Which values are taken for each other: of all pairs of raters on one unit, row by row."""
    rows = answers[answers["question"].isin(questions)].dropna(subset=["value"])
    few = rows.groupby("question", observed=True)["value"].transform("nunique") <= 12
    rows = rows.loc[few, ["question", "unit", "rater", "value"]].astype(str)
    both = rows.merge(rows, on=["question", "unit"])
    both = both[both["rater_x"].ne(both["rater_y"])]
    if both.empty:
        raise NothingToSee("No question of at most twelve values was answered twice.")
    counts = pd.crosstab(both["value_x"], both["value_y"])
    names = ordered(counts, scale)
    frame = counts.loc[names, names].div(counts.loc[names].sum(axis=1), axis=0)
    figure = heat(frame, ".0%", ("another rater said", "where one said"))
    away = (
        counts.loc[names, names]
        .where(np.triu(np.ones(counts.shape, dtype=bool), 1))
        .stack()
        .dropna()
    )
    if not away.sum():
        return frame, titled(figure, "No two raters differed on a unit")
    first, second = away.idxmax()
    part = away.max() / away.sum()
    said = f"“{first}” and “{second}” are taken for each other most: {part:.0%} of what differs"
    return frame, titled(figure, said)


def chosen(answers, raters=None, shares=None, /, **columns):
    """The answers of those who count, or of the raters named, with the unit each is of.

    Items that share a cluster, else a case, are one draw. `shares` name a label of a question: who
    gave it has 1, who did not 0, under the name “question: label”.
    """
    # An item's own column of such a name stays beside ours.
    renamed = {name: f"{name} (item)" for name in ("unit", "draw")}
    rows = count(answers.rename(columns=renamed), (), raters).people
    for column, names in columns.items():
        rows = rows[rows[renamed.get(column, column)].astype(str).isin(names)]
    part = rows["part"].astype(str)
    unit = rows["subject"].where(rows["part"].eq(0), rows["subject"] + " " + part)
    cluster, case = rows["cluster"].astype(object), rows["case"].astype(object)
    draw = cluster.where(cluster.notna(), case).astype(str)
    rows = rows.assign(unit=unit, draw=draw, value=rows["value"].astype(object))
    for question, label in (shares or {}).items():
        own = rows[rows["question"].eq(question)]
        share = own["value"].eq(label).astype(float)
        rows = pd.concat([rows, own.assign(question=f"{question}: {label}", number=share)])
    return rows


def intervals(rows, by, value, coverage=0.95):
    """A mean for each of `by`, with its interval; rows of one draw are drawn together."""
    found = {}
    for name, own in rows.groupby(by, observed=True):
        asked = pd.DataFrame(
            {"unit": np.arange(len(own)), "rater": "all", "value": own[value].to_numpy(float),
             "draw": own["draw"].to_numpy()}
        )  # fmt: skip
        one = mean(Ratings(asked, cluster="draw"), interval=Interval("jackknife", coverage))
        found[name] = {"mean": one.value, "low": one.low, "high": one.high, "n": len(own)}
    return pd.DataFrame(found).T.astype(float)


def dots(frame, label, zero=False):
    """A line for each row: its mean and its interval."""
    figure, ax = plt.subplots(figsize=(6.2, 1 + 0.32 * len(frame)))
    at = np.arange(len(frame))
    ax.hlines(at, frame["low"], frame["high"], color=SOFT, linewidth=2)
    ax.plot(frame["mean"], at, "o", color=INK)
    if zero:
        ax.axvline(0, linestyle=":", color=SOFT)
    ax.set_yticks(at, [str(name) for name in frame.index])
    ax.set(xlabel=label, ylim=(-0.6, len(frame) - 0.4))
    return figure


def heat(frame, write, names=("", ""), ends=(0, 1)):
    """A table as cells, darker for more, or for farther from 0 where `ends` lie on both sides."""
    figure, ax = plt.subplots(figsize=(1.9 + 0.75 * len(frame.T), 1.3 + 0.4 * len(frame)))
    shades = [DEEP, PALE, DEEP] if ends[0] < 0 else [PALE, DEEP]
    ramp = seaborn.blend_palette(shades, as_cmap=True)
    seaborn.heatmap(
        frame, vmin=ends[0], vmax=ends[1], annot=True, fmt=write, cmap=ramp, cbar=False, ax=ax,
        linewidths=0.8, linecolor=LINE,
    )  # fmt: skip
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.tick_params(axis="x", rotation=30)
    ax.tick_params(axis="y", rotation=0)
    return figure


def curve(frame, along, label):
    """Means one after the other, each with its interval."""
    figure, ax = plt.subplots(figsize=(6.2, 2.7))
    half = [frame["mean"] - frame["low"], frame["high"] - frame["mean"]]
    ax.errorbar(frame.index, frame["mean"], yerr=half, fmt="o-", color=INK, ecolor=SOFT)
    ax.set(xlabel=along, ylabel=label)
    return figure


def apart(first, last):
    """Whether two means differ beyond their intervals."""
    return last["low"] > first["high"] or last["high"] < first["low"]


def lengths(items):
    """Signs of all texts of an item, and of each of its parts."""
    found = {}
    for item in items:
        found[item.key] = sum(len(str(text)) for text in item.fields.values())
        found |= {f"{item.key} {part.number}": len(part.text) for part in item.parts}
    return found


def ordered(values, scale):
    """Values as the protocol has them, then others: numbers by their size, words."""
    return [each for each in scale if each in values] + ascending(set(values) - set(scale))


def titled(figure, said):
    """The finding above the figure, on as many lines as it takes; long names are cut in both."""
    import re
    from textwrap import fill

    for whole, short in shortened(figure.axes[0]).items():
        said = said.replace(whole, short)
    said = re.sub(r"(?<!\w)-(?=[\d.])", "−", re.sub(r"(?<=\d)%", "\u00a0%", said))
    width = int(figure.get_figwidth() * 10)
    figure.suptitle(fill(said, width), x=0.01, ha="left", fontsize=10, fontweight="bold")
    for text in figure.axes[0].texts:
        words = text.get_text().replace("-", "−").replace("−0.00", "0.00")
        text.set_text(words.replace("%", "\u00a0%"))
    return figure


# What a view may call; its code brings those it does.
HELPERS = (intervals, dots, heat, curve, apart, lengths, ordered, titled)
