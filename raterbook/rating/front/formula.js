// A formula in TeX, read into a tree of MathML: {tag, kids, more}, and leaves {text, from, to} with
// their places in the source. Only what stands in the tables here is read; of anything else the
// formula is null, and is shown as it was written. Nothing in it can load, link, colour or run.

const LONGEST = 4000; // characters; a longer one is shown as it was written
const DEEPEST = 20;

// Names and their signs: letters, then operators, large ones, and what stands on a letter.
const named = (text) => {
  const pairs = text.trim().split(/\s+/);
  return new Map(pairs.map((pair) => [pair.slice(0, -1), pair.at(-1)]));
};
const listed = (text) => new Set(text.trim().split(/\s+/));
const LETTERS = named(`
  alphaα betaβ gammaγ deltaδ epsilonϵ varepsilonε zetaζ etaη thetaθ varthetaϑ iotaι kappaκ lambdaλ
  muμ nuν xiξ piπ varpiϖ rhoρ varrhoϱ sigmaσ varsigmaς tauτ upsilonυ phiϕ varphiφ chiχ psiψ omegaω
  GammaΓ DeltaΔ ThetaΘ LambdaΛ XiΞ PiΠ SigmaΣ UpsilonΥ PhiΦ PsiΨ OmegaΩ infty∞ partial∂ nabla∇ ellℓ
  hbarℏ emptyset∅ varnothing∅ degree° %% $$ ## &&`);
const OPERATORS = named(`
  times× cdot· div÷ pm± mp∓ ast∗ circ∘ bullet• le≤ leq≤ ge≥ geq≥ ne≠ neq≠ ll≪ gg≫ approx≈ equiv≡
  sim∼ simeq≃ cong≅ propto∝ in∈ notin∉ ni∋ subset⊂ supset⊃ subseteq⊆ supseteq⊇ cup∪ cap∩ setminus∖
  to→ rightarrow→ leftarrow← longrightarrow→ Rightarrow⇒ Leftarrow⇐ implies⇒ leftrightarrow↔
  Leftrightarrow⇔ iff⇔ mapsto↦ uparrow↑ downarrow↓ rightleftharpoons⇌ forall∀ exists∃ neg¬ lnot¬
  land∧ wedge∧ lor∨ vee∨ oplus⊕ otimes⊗ perp⊥ parallel∥ mid∣ vert| Vert‖ angle∠ ldots… cdots⋯ dots…
  vdots⋮ prime′ langle⟨ rangle⟩ lfloor⌊ rfloor⌋ lceil⌈ rceil⌉ {{ }} __ ||`);
const LARGE = named("sum∑ prod∏ int∫ iint∬ oint∮ bigcup⋃ bigcap⋂");
const ACCENTS = named("hat^ widehat^ bar¯ overline¯ vec→ dot˙ ddot¨ tilde~ widetilde~");
const DOUBLE = named("Cℂ Hℍ Nℕ Pℙ Qℚ Rℝ Zℤ");
const WIDTHS = new Map(
  Object.entries({ ",": 0.17, ":": 0.22, ";": 0.28, "!": 0, " ": 0.3, quad: 1, qquad: 2 }),
);
const FUNCTIONS = listed(`sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp
  deg dim ker gcd arg`);
const LIMITS = listed("lim max min sup inf argmax argmin det Pr");
const FRACTIONS = listed("frac dfrac tfrac");
const LETTERED = new Map([
  ...["text", "textrm"].map((name) => [name, { tag: "mtext", kind: null }]),
  ...["mathrm", "operatorname", "mathit", "mathsf"].map((name) => [name, { tag: "mi", kind: null }]),
  ...["mathbf", "boldsymbol", "textbf"].map((name) => [name, { tag: "mi", kind: "rb-bold" }]),
]);
const FENCED = new Map(
  Object.entries({ matrix: "..", pmatrix: "()", bmatrix: "[]", vmatrix: "||", cases: "{.",
    aligned: "..", align: "..", "align*": ".." }),
);

const TEX = /\\[A-Za-z]+\*?|\\[\s\S]|[0-9]+(?:[.,][0-9]+)*|[\s\S]/uy;
const IGNORED = new Set(["\\displaystyle", "\\textstyle", "\\limits", "\\nolimits", "\\nonumber", "~"]);

const mathml = (tag, kids, more = {}) => ({ tag, kids, more });
const letters = (text, from, to) => ({ text, from, to });
const rowOf = (kids) => (kids.length === 1 ? kids[0] : mathml("mrow", kids));

class UnknownTex extends Error {}

// The tree of a formula, or null where it is not read whole.
export function readFormula(source) {
  if (source.length > LONGEST) return null;
  try {
    const reader = new Formula(source);
    const kids = reader.row(() => false);
    return kids.length && !reader.token ? mathml("math", [mathml("mrow", kids)]) : null;
  } catch (error) {
    if (error instanceof UnknownTex) return null;
    throw error;
  }
}

class Formula {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.depth = 0;
    this.next();
  }

  // The next token and its place, without the blanks before it; null behind the last.
  next() {
    do {
      [this.from, TEX.lastIndex] = [this.at, this.at];
      const found = TEX.exec(this.source);
      this.token = found && found[0];
      this.at += found ? found[0].length : 0;
    } while (this.token !== null && (/^\s$/.test(this.token) || IGNORED.has(this.token)));
    return this;
  }

  need(token) {
    if (this.token !== token) throw new UnknownTex();
    this.next();
  }

  // Atoms with what stands above and below them, until something ends the row.
  row(ends) {
    if ((this.depth += 1) > DEEPEST) throw new UnknownTex();
    const kids = [];
    while (this.token !== null && !ends(this.token)) kids.push(this.scripted());
    this.depth -= 1;
    return kids;
  }

  scripted() {
    const bare = this.token === "^" || this.token === "_";
    const base = bare ? mathml("mrow", []) : this.atom();
    let [over, under] = [null, null];
    while (this.token === "^" || this.token === "_" || this.token === "'") {
      const sign = this.token;
      if (sign === "'" ? over : (sign === "^" ? over : under)) throw new UnknownTex();
      if (sign === "'") over = rowOf(this.primes());
      else if (sign === "^") over = this.next().argument();
      else under = this.next().argument();
    }
    const [tags, last] = base.limits ? [["munder", "mover"], "munderover"] : [["msub", "msup"], "msubsup"];
    if (over && under) return mathml(last, [base, under, over]);
    if (!over && !under) return base;
    return mathml(tags[over ? 1 : 0], [base, over ?? under]);
  }

  primes() {
    const found = [];
    for (; this.token === "'"; this.next()) found.push(this.sign("mo", "′"));
    return found;
  }

  // One leaf of the token that is here; who takes it goes on to the next.
  sign(tag, text = this.token, more = {}) {
    return mathml(tag, [letters(text, this.from, this.at)], more);
  }

  taken(made) {
    this.next();
    return made;
  }

  // What a command is given: one atom, or a row in braces.
  argument() {
    if (this.token === null || this.depth >= DEEPEST) throw new UnknownTex();
    if (/^\d{2,}/.test(this.token)) {
      // x^12 is x¹2: one digit alone is meant.
      const from = this.from;
      this.at = from + 1;
      return this.taken(mathml("mn", [letters(this.source[from], from, from + 1)]));
    }
    this.depth += 1;
    const made = this.atom();
    this.depth -= 1;
    return made;
  }

  group(open = "{", close = "}") {
    this.need(open);
    const kids = this.row((token) => token === close);
    this.need(close);
    return rowOf(kids);
  }

  atom() {
    const { token } = this;
    if (token === "{") return this.group();
    if (token[0] === "\\" && token.length > 1) return this.command(token.slice(1));
    if (/^\d/.test(token)) return this.taken(this.sign("mn"));
    if (/^\p{L}$/u.test(token)) return this.taken(this.sign("mi"));
    if ("}^_&\\#$%".includes(token)) throw new UnknownTex();
    const more = "()[]|".includes(token) ? { stretchy: "false" } : {};
    return this.taken(this.sign("mo", { "-": "−", "*": "∗" }[token] ?? token, more));
  }

  command(name) {
    if (LETTERS.has(name)) return this.taken(this.sign("mi", LETTERS.get(name)));
    if (OPERATORS.has(name)) return this.taken(this.sign("mo", OPERATORS.get(name)));
    if (LARGE.has(name)) {
      const limits = !name.endsWith("int");
      return { ...this.taken(this.sign("mo", LARGE.get(name), { largeop: "true" })), limits };
    }
    if (WIDTHS.has(name)) return this.taken(mathml("mspace", [], { width: `${WIDTHS.get(name)}em` }));
    if (FUNCTIONS.has(name) || LIMITS.has(name)) {
      const made = mathml("mi", [letters(name, this.from + 1, this.at)]);
      return { ...this.taken(made), limits: LIMITS.has(name) };
    }
    if (LETTERED.has(name)) return this.words(LETTERED.get(name));
    this.next();
    if (FRACTIONS.has(name)) return mathml("mfrac", [this.argument(), this.argument()]);
    if (name === "sqrt") {
      if (this.token !== "[") return mathml("msqrt", [this.argument()]);
      const index = this.group("[", "]");
      return mathml("mroot", [this.argument(), index]);
    }
    if (ACCENTS.has(name)) {
      const stretchy = String(/wide|over/.test(name));
      const accent = mathml("mo", [{ drawn: ACCENTS.get(name) }], { stretchy });
      return mathml("mover", [this.argument(), accent], { accent: "true" });
    }
    if (name === "underline") {
      return mathml("munder", [this.argument(), mathml("mo", [{ drawn: "_" }])]);
    }
    if (name === "mathbb") {
      this.need("{");
      const sign = DOUBLE.get(this.token);
      if (!sign) throw new UnknownTex();
      const made = this.taken(this.sign("mi", sign));
      this.need("}");
      return made;
    }
    if (name === "left") return this.fenced();
    if (name === "begin") return this.matrix();
    throw new UnknownTex();
  }

  // Letters as they stand: \text{mean of}, \mathrm{F1}, \mathbf{x}.
  words({ tag, kind }) {
    const open = this.at + /^\s*/.exec(this.source.slice(this.at, this.at + 9))[0].length;
    const close = this.source.indexOf("}", open);
    const inside = this.source.slice(open + 1, close);
    if (this.source[open] !== "{" || close < 0) throw new UnknownTex();
    if (/[\\{$^_]/.test(inside) || !inside.trim()) throw new UnknownTex();
    this.at = close + 1;
    return this.taken(mathml(tag, [letters(inside, open + 1, close)], kind ? { class: kind } : {}));
  }

  // \left( … \right), where a point is no sign.
  fenced() {
    const fence = () => {
      const name = this.token?.[0] === "\\" ? OPERATORS.get(this.token.slice(1)) : this.token;
      if (!name || !"()[]{}|‖⟨⟩⌊⌋⌈⌉.".includes(name)) throw new UnknownTex();
      const made = name === "." ? null : this.sign("mo", name, { stretchy: "true" });
      return this.taken(made);
    };
    const before = fence();
    const kids = this.row((token) => token === "\\right");
    this.need("\\right");
    return mathml("mrow", [before, ...kids, fence()].filter(Boolean));
  }

  environment() {
    const found = /^\{([a-z]+\*?)\}/.exec(this.source.slice(this.from, this.from + 12));
    if (!found) throw new UnknownTex();
    this.at = this.from + found[0].length;
    this.next();
    return found[1];
  }

  matrix() {
    const name = this.environment();
    if (!FENCED.has(name)) throw new UnknownTex();
    const [before, after] = [...FENCED.get(name)].map((drawn) =>
      drawn === "." ? null : mathml("mo", [{ drawn }], { stretchy: "true" }),
    );
    const rows = [[]];
    const ends = (token) => token === "&" || token === "\\\\" || token === "\\end";
    for (;;) {
      rows.at(-1).push(mathml("mtd", this.row(ends)));
      if (this.token === null) throw new UnknownTex();
      const { token } = this;
      this.next();
      if (token === "\\end") break;
      if (token === "\\\\") rows.push([]);
    }
    if (this.environment() !== name) throw new UnknownTex();
    const filled = rows.filter((cells) => cells.some((cell) => cell.kids.length));
    const kind = /cases|align/.test(name) ? { class: "rb-lines" } : {};
    const made = mathml("mtable", filled.map((cells) => mathml("mtr", cells)), kind);
    return mathml("mrow", [before, made, after].filter(Boolean));
  }
}
