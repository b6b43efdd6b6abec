"""Words whose dot is not a full stop, by what may follow them."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never end a sentence: something always follows.
NEVER = _words(
    """
    mr mrs ms mx dr prof rev hon st sr jr messrs mme mlle fr gen col capt lt sgt maj gov sen rep
    e.g i.e eg ie cf viz vs v resp approx ca ibid op loc
    fig figs eq eqs eqn tab ref refs sect ex thm prop lem def alg
    z.b d.h u.a s.o s.u bzw vgl evtl ggf inkl
    sra srta dra pág núm p.ej p.ex
    """
)

# End a sentence unless a number follows.
BEFORE_A_NUMBER = _words(
    """
    no nos nr p pp vol vols ch chap sec secs art arts para paras app appx lines ll col cols
    ed eds min max tel ext approx n° jan feb mar apr jun jul aug sep sept oct nov dec
    """
)

# May end a sentence: they do where a word follows that opens sentences.
EITHER = _words(
    """
    al etc inc ltd co corp bros llc plc gmbh dept univ assn est
    a.m p.m a.d b.c b.c.e c.e ph.d m.d m.sc b.sc m.a b.a d.phil
    u.s u.k u.s.a e.u u.n d.c l.a n.y i.i.d w.r.t s.t a.k.a
    usw usf etw ave blvd rd mt ft
    jan feb mar apr jun jul aug sep sept oct nov dec
    """
)

# Words that open sentences far more often than they are names.
OPENERS = _words(
    """
    a after all also although among an and another any as at because before both but by can
    compared could despite did do does during each either even every few finally first following
    for from further furthermore given had has have he hence her here his how however if in
    indeed instead is it its later many more moreover most my neither nevertheless next no none
    nor not note now of on once one only or other others our overall several she should similarly
    since so some such that the their then there therefore these they this those though through
    thus to together two under unlike until was we were what when where whereas whether which
    while who why with within without would yes yet you your
    der die das es wir sie er le la les il elle el los las
    """
)
