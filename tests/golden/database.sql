BEGIN TRANSACTION;
CREATE TABLE allowed (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	question_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	value TEXT NOT NULL, 
	number FLOAT, 
	UNIQUE (question_id, id), 
	UNIQUE (question_id, value), 
	FOREIGN KEY(question_id) REFERENCES question (id)
);
INSERT INTO "allowed" VALUES(1,1,0,'1',1.0);
INSERT INTO "allowed" VALUES(2,1,1,'2',2.0);
INSERT INTO "allowed" VALUES(3,1,2,'3',3.0);
INSERT INTO "allowed" VALUES(4,3,0,'yes',NULL);
INSERT INTO "allowed" VALUES(5,3,1,'no',NULL);
INSERT INTO "allowed" VALUES(6,7,0,'right',NULL);
INSERT INTO "allowed" VALUES(7,7,1,'wrong',NULL);
INSERT INTO "allowed" VALUES(8,9,0,'SUPPORTED',NULL);
INSERT INTO "allowed" VALUES(9,9,1,'CONTRADICTED',NULL);
INSERT INTO "allowed" VALUES(10,9,2,'NO EVIDENCE',NULL);
CREATE TABLE answer_event (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	event_id TEXT NOT NULL, 
	round_id INTEGER NOT NULL, 
	rater_id INTEGER NOT NULL, 
	subject_id INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	question_id INTEGER NOT NULL, 
	replicate INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	value_id INTEGER, 
	number FLOAT, 
	text TEXT, 
	reason TEXT, 
	confidence FLOAT, 
	seconds FLOAT, 
	shown_as INTEGER, 
	lamport BIGINT NOT NULL, 
	client_time BIGINT, 
	server_time BIGINT NOT NULL, 
	UNIQUE (round_id, rater_id, event_id), 
	FOREIGN KEY(question_id, value_id) REFERENCES allowed (question_id, id), 
	CHECK (status IN ('answered', 'not_applicable', 'skipped', 'retracted')), 
	CHECK (CASE WHEN value_id IS NULL THEN 0 ELSE 1 END + CASE WHEN number IS NULL THEN 0 ELSE 1 END + CASE WHEN text IS NULL THEN 0 ELSE 1 END = CASE WHEN status = 'answered' THEN 1 ELSE 0 END), 
	CHECK (part >= 0 AND replicate >= 1 AND lamport >= 0), 
	CHECK (confidence BETWEEN 0 AND 100), 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id), 
	FOREIGN KEY(subject_id) REFERENCES subject (id), 
	FOREIGN KEY(question_id) REFERENCES question (id)
);
INSERT INTO "answer_event" VALUES(1,'fa052d03e5b1055d677fcf5df47fedef',1,4,5,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767225780000000);
INSERT INTO "answer_event" VALUES(2,'f0c34e9bdc85510c0a3fafb3a3429e28',1,4,6,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767225780000000);
INSERT INTO "answer_event" VALUES(3,'f2862e7417eff27f45fe43160731c8e2',1,4,8,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767225780000000);
INSERT INTO "answer_event" VALUES(4,'770771b0b750977aac38daf42e245c58',1,4,9,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767225780000000);
INSERT INTO "answer_event" VALUES(5,'event-01',1,1,2,0,1,1,'answered',3,NULL,NULL,NULL,NULL,4.5,5,1,NULL,1767225840000000);
INSERT INTO "answer_event" VALUES(6,'event-02',1,1,2,0,1,1,'answered',2,NULL,NULL,NULL,NULL,1.25,5,2,NULL,1767225900000000);
INSERT INTO "answer_event" VALUES(7,'event-03',1,1,2,0,3,1,'answered',5,NULL,NULL,NULL,NULL,NULL,5,1,NULL,1767225960000000);
INSERT INTO "answer_event" VALUES(8,'event-04',1,1,2,0,4,1,'answered',NULL,NULL,'two
lines, "quoted"; =1+1',NULL,NULL,NULL,5,1,NULL,1767226020000000);
INSERT INTO "answer_event" VALUES(9,'event-05',1,1,2,0,5,1,'answered',NULL,4.25,NULL,NULL,NULL,NULL,5,1,NULL,1767226080000000);
INSERT INTO "answer_event" VALUES(10,'event-06',1,1,2,0,6,1,'answered',NULL,70.0,NULL,NULL,NULL,NULL,5,1,NULL,1767226140000000);
INSERT INTO "answer_event" VALUES(11,'event-07',1,1,2,1,7,1,'answered',6,NULL,NULL,NULL,NULL,NULL,5,1,NULL,1767226200000000);
INSERT INTO "answer_event" VALUES(12,'event-08',1,1,2,2,7,1,'answered',7,NULL,NULL,NULL,NULL,NULL,5,1,NULL,1767226260000000);
INSERT INTO "answer_event" VALUES(13,'event-09',1,1,1,0,8,1,'answered',NULL,NULL,'42',NULL,NULL,NULL,NULL,1,NULL,1767226320000000);
INSERT INTO "answer_event" VALUES(14,'event-10',1,1,3,0,1,1,'skipped',NULL,NULL,NULL,'cannot judge',NULL,NULL,1,1,NULL,1767226380000000);
INSERT INTO "answer_event" VALUES(15,'event-11',1,1,5,0,1,1,'answered',1,NULL,NULL,NULL,NULL,NULL,0,1,NULL,1767226440000000);
INSERT INTO "answer_event" VALUES(16,'event-12',1,1,5,0,2,1,'answered',NULL,NULL,'Clear – ☃',NULL,NULL,NULL,0,1,NULL,1767226500000000);
INSERT INTO "answer_event" VALUES(17,'event-13',1,2,2,0,1,1,'answered',3,NULL,NULL,NULL,NULL,NULL,4,1,NULL,1767226560000000);
INSERT INTO "answer_event" VALUES(18,'event-14',1,2,2,0,1,2,'answered',3,NULL,NULL,NULL,NULL,NULL,4,1,NULL,1767226620000000);
INSERT INTO "answer_event" VALUES(19,'event-15',1,2,6,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,2,1,NULL,1767226680000000);
INSERT INTO "answer_event" VALUES(20,'event-16',1,2,6,0,3,1,'retracted',NULL,NULL,NULL,NULL,NULL,NULL,2,2,NULL,1767226740000000);
INSERT INTO "answer_event" VALUES(21,'event-17',1,2,6,0,6,1,'answered',NULL,62.5,NULL,NULL,NULL,NULL,2,1,NULL,1767226800000000);
INSERT INTO "answer_event" VALUES(22,'event-18',1,2,8,0,1,1,'answered',2,NULL,NULL,NULL,NULL,NULL,3,1,NULL,1767226860000000);
INSERT INTO "answer_event" VALUES(23,'event-19',1,2,8,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,3,1,NULL,1767226920000000);
INSERT INTO "answer_event" VALUES(24,'event-20',1,5,2,0,1,1,'answered',1,NULL,NULL,NULL,NULL,NULL,4,1,NULL,1767227100000000);
INSERT INTO "answer_event" VALUES(25,'event-21',1,6,2,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227280000000);
INSERT INTO "answer_event" VALUES(26,'event-22',1,7,8,0,1,1,'answered',3,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227400000000);
INSERT INTO "answer_event" VALUES(27,'c794deec0da6d6959698ff8153565345bc678780',1,8,2,0,1,1,'answered',3,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(28,'ac618c380c271b8e9630f9143f6b67d889ddba39',1,8,2,0,2,1,'answered',NULL,NULL,'“the second part” says so.',NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(29,'e2e799196bb58e3fed62e1f916531588f4cd3e6e',1,8,2,0,3,1,'answered',4,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(30,'653d77f7f4541e68bf5465b5e4b94d259938beba',1,8,2,0,5,1,'answered',NULL,2.6,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(31,'ca82ab10533403549c8a88a78e7a774e9aa41341',1,8,2,0,6,1,'answered',NULL,50.0,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(32,'8ca80abc1f51e39fc470dc08d0268d6474e6b0b1',1,8,2,1,7,1,'answered',6,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(33,'40530e465633fe91053db05f6ab86f4e22f82e65',1,8,2,2,7,1,'answered',6,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(34,'4a57a1310db0007f7183a964b8193e0f54708147',1,8,5,0,1,1,'answered',2,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(35,'ae451129dfab21ef6ec38263004b949697fcf774',1,8,5,0,2,1,'answered',NULL,NULL,'“the second part” says so.',NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(36,'1a4a3341754d9ec737eed496fc92d70a1f677d4e',1,8,5,0,3,1,'answered',5,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(37,'0de6329ac58b17eb89c8f1eb69d0824973277591',1,8,5,0,4,1,'answered',NULL,NULL,'Said in a line.',NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(38,'c63a15fe6055205966ad8eb44bb34143305eb0c8',1,8,5,0,5,1,'answered',NULL,4.2,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(39,'ef6f4ead5b42b1b5a262e9c4664d38229f3e9231',1,8,5,0,6,1,'answered',NULL,51.0,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(40,'c786c21ba8bf3aac101997c9eb0c8ca1b72afc47',1,8,5,1,7,1,'answered',6,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(41,'5cfba2d45e76c9b1e9678ba40fad41d13df8643c',1,8,5,2,7,1,'answered',6,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(42,'479a93a33d88046199bfdcb9106ef0acc4895fa2',1,8,1,0,8,1,'answered',NULL,NULL,'Said in a line.',NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(43,'6b33b5c3dfcf2c96227386110121dbaa3b531d5d',1,8,4,0,8,1,'answered',NULL,NULL,'Said in a line.',NULL,NULL,NULL,NULL,1,NULL,1767227820000000);
INSERT INTO "answer_event" VALUES(44,'d03c98fb5d37352a99e3fddab70946c6',2,4,11,0,9,1,'answered',8,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767228060000000);
INSERT INTO "answer_event" VALUES(45,'1133abd33d915b9d07709606ec14a90f',2,4,12,0,9,1,'answered',9,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767228060000000);
INSERT INTO "answer_event" VALUES(46,'d540882ba0cc4648b5e2e12b8ac9cc69-0',2,1,11,0,9,1,'answered',8,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767228240000000);
INSERT INTO "answer_event" VALUES(47,'d540882ba0cc4648b5e2e12b8ac9cc69-1',2,1,11,0,10,1,'answered',NULL,NULL,'as said',NULL,NULL,NULL,NULL,1,NULL,1767228240000000);
INSERT INTO "answer_event" VALUES(48,'d540882ba0cc4648b5e2e12b8ac9cc69-2',2,1,12,0,9,1,'answered',10,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767228240000000);
INSERT INTO "answer_event" VALUES(49,'d540882ba0cc4648b5e2e12b8ac9cc69-3',2,1,14,0,9,1,'answered',8,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1767228240000000);
CREATE TABLE erasure (
	rater_id INTEGER NOT NULL, 
	reason TEXT, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (rater_id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id)
);
INSERT INTO "erasure" VALUES(5,'asked for it',1767227880000000);
CREATE TABLE hidden_value (
	subject_id INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (subject_id, part, name), 
	FOREIGN KEY(subject_id) REFERENCES subject (id)
)
 WITHOUT ROWID

;
INSERT INTO "hidden_value" VALUES(1,0,'qid','q0');
INSERT INTO "hidden_value" VALUES(1,0,'topic','t0');
INSERT INTO "hidden_value" VALUES(2,0,'auto','');
INSERT INTO "hidden_value" VALUES(2,0,'gold','gold 0');
INSERT INTO "hidden_value" VALUES(2,0,'model','a');
INSERT INTO "hidden_value" VALUES(3,0,'auto','');
INSERT INTO "hidden_value" VALUES(3,0,'gold','gold 0');
INSERT INTO "hidden_value" VALUES(3,0,'model','b');
INSERT INTO "hidden_value" VALUES(4,0,'qid','q1');
INSERT INTO "hidden_value" VALUES(4,0,'topic','t1');
INSERT INTO "hidden_value" VALUES(5,0,'auto','yes');
INSERT INTO "hidden_value" VALUES(5,0,'gold','gold 1');
INSERT INTO "hidden_value" VALUES(5,0,'model','a');
INSERT INTO "hidden_value" VALUES(6,0,'auto','yes');
INSERT INTO "hidden_value" VALUES(6,0,'gold','gold 1');
INSERT INTO "hidden_value" VALUES(6,0,'model','b');
INSERT INTO "hidden_value" VALUES(7,0,'qid','q2');
INSERT INTO "hidden_value" VALUES(7,0,'topic','t2');
INSERT INTO "hidden_value" VALUES(8,0,'auto','yes');
INSERT INTO "hidden_value" VALUES(8,0,'gold','gold 2');
INSERT INTO "hidden_value" VALUES(8,0,'model','a');
INSERT INTO "hidden_value" VALUES(9,0,'auto','yes');
INSERT INTO "hidden_value" VALUES(9,0,'gold','gold 2');
INSERT INTO "hidden_value" VALUES(9,0,'model','b');
INSERT INTO "hidden_value" VALUES(10,0,'id','h1');
INSERT INTO "hidden_value" VALUES(11,0,'auto_label','SUPPORTED');
INSERT INTO "hidden_value" VALUES(11,0,'gold_answer','1862');
INSERT INTO "hidden_value" VALUES(11,0,'model','m1');
INSERT INTO "hidden_value" VALUES(12,0,'auto_label','CONTRADICTED');
INSERT INTO "hidden_value" VALUES(12,0,'gold_answer','1862');
INSERT INTO "hidden_value" VALUES(12,0,'model','m2');
INSERT INTO "hidden_value" VALUES(13,0,'id','h2');
INSERT INTO "hidden_value" VALUES(14,0,'auto_label','');
INSERT INTO "hidden_value" VALUES(14,0,'gold_answer','A mill');
INSERT INTO "hidden_value" VALUES(14,0,'model','m1');
CREATE TABLE identity (
	rater_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	expertise TEXT, 
	PRIMARY KEY (rater_id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id), 
	UNIQUE (name)
);
INSERT INTO "identity" VALUES(1,'ana',NULL);
INSERT INTO "identity" VALUES(2,'ben',NULL);
INSERT INTO "identity" VALUES(3,'zoë',NULL);
INSERT INTO "identity" VALUES(4,'auto',NULL);
INSERT INTO "identity" VALUES(6,'uma',NULL);
INSERT INTO "identity" VALUES(7,'expert',NULL);
INSERT INTO "identity" VALUES(8,'robot',NULL);
CREATE TABLE mark_event (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	event_id TEXT NOT NULL, 
	round_id INTEGER NOT NULL, 
	rater_id INTEGER NOT NULL, 
	subject_id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	reason TEXT, 
	lamport BIGINT NOT NULL, 
	client_time BIGINT, 
	server_time BIGINT NOT NULL, 
	UNIQUE (round_id, rater_id, event_id), 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id), 
	FOREIGN KEY(subject_id) REFERENCES subject (id)
);
INSERT INTO "mark_event" VALUES(1,'422320ce930046c8815772d88e7c37ad',1,1,2,'flag','odd',1,NULL,1767226980000000);
CREATE TABLE part (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	subject_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	added_at BIGINT NOT NULL, 
	UNIQUE (subject_id, number), 
	CHECK (number > 0), 
	FOREIGN KEY(subject_id) REFERENCES subject (id)
);
INSERT INTO "part" VALUES(1,2,1,1,'First of 0a.',1767225660000000);
INSERT INTO "part" VALUES(2,2,2,2,'Second – “é”, 漢.',1767225660000000);
INSERT INTO "part" VALUES(3,3,1,1,'First of 0b.',1767225660000000);
INSERT INTO "part" VALUES(4,3,2,2,'Second – “é”, 漢.',1767225660000000);
INSERT INTO "part" VALUES(5,5,1,1,'First of 1a.',1767225660000000);
INSERT INTO "part" VALUES(6,5,2,2,'Second – “é”, 漢.',1767225660000000);
INSERT INTO "part" VALUES(7,6,1,1,'First of 1b.',1767225660000000);
INSERT INTO "part" VALUES(8,6,2,2,'Second – “é”, 漢.',1767225660000000);
INSERT INTO "part" VALUES(9,8,1,1,'First of 2a.',1767225660000000);
INSERT INTO "part" VALUES(10,8,2,2,'Second – “é”, 漢.',1767225660000000);
INSERT INTO "part" VALUES(11,9,1,1,'First of 2b.',1767225660000000);
INSERT INTO "part" VALUES(12,9,2,2,'Second – “é”, 漢.',1767225660000000);
CREATE TABLE part_retired (
	part_id INTEGER NOT NULL, 
	reason TEXT, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (part_id), 
	FOREIGN KEY(part_id) REFERENCES part (id)
);
CREATE TABLE plan_event (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	round_id INTEGER NOT NULL, 
	rater_id INTEGER NOT NULL, 
	subject_id INTEGER NOT NULL, 
	action TEXT NOT NULL CHECK (action IN ('assign', 'withdraw')), 
	position INTEGER, 
	reason TEXT, 
	at BIGINT NOT NULL, 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id), 
	FOREIGN KEY(subject_id) REFERENCES subject (id)
);
INSERT INTO "plan_event" VALUES(1,1,1,5,'assign',0,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(2,1,1,3,'assign',1,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(3,1,1,9,'assign',2,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(4,1,1,6,'assign',3,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(5,1,1,8,'assign',4,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(6,1,1,2,'assign',5,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(7,1,2,3,'assign',0,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(8,1,2,5,'assign',1,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(9,1,2,6,'assign',2,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(10,1,2,8,'assign',3,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(11,1,2,2,'assign',4,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(12,1,2,9,'assign',5,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(13,1,3,5,'assign',0,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(14,1,3,2,'assign',1,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(15,1,3,8,'assign',2,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(16,1,3,6,'assign',3,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(17,1,3,9,'assign',4,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(18,1,3,3,'assign',5,NULL,1767225660000000);
INSERT INTO "plan_event" VALUES(19,1,5,6,'assign',0,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(20,1,5,3,'assign',1,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(21,1,5,5,'assign',2,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(22,1,5,8,'assign',3,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(23,1,5,2,'assign',4,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(24,1,5,9,'assign',5,NULL,1767227040000000);
INSERT INTO "plan_event" VALUES(25,2,1,12,'assign',0,NULL,1767227940000000);
INSERT INTO "plan_event" VALUES(26,2,1,11,'assign',1,NULL,1767227940000000);
INSERT INTO "plan_event" VALUES(27,2,1,14,'assign',2,NULL,1767227940000000);
CREATE TABLE protocol (
	hash TEXT NOT NULL, 
	name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	added_at BIGINT NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "protocol" VALUES('a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','mixed','name: mixed
title: One of everything
about: A protocol with every type of question.
instructions: [Rate.]
item:
  key: [qid, model]
  case: qid
  cluster: topic
  system: model
  groups: [domain]
  fields:
    qid: {label: Id, show: none}
    model: {label: Model, show: hidden}
    domain: {label: Domain, of: case}
    topic: {label: Topic, show: none, of: case}
    question: {label: Question, of: case}
    text: {label: Text, show: long}
    gold: {label: Gold, show: after, required: false}
    auto:
      label: Automatic
      show: hidden
      required: false
      answers: {rater: auto, kind: automatic, question: label}
parts: {of: item, from: text, split: sentences, label: Sentence}
questions:
  - id: tone
    prompt: How is its tone?
    type: scale
    levels:
      - {value: 1, name: bad, description: Bad.}
      - {value: 2, name: fair, description: Fair.}
      - {value: 3, name: good, description: Good.}
    comment: {prompt: "Why?", required: {tone: [1]}}
  - id: label
    prompt: Which?
    type: choice
    options: [{value: "yes", description: Yes.}, {value: "no", description: No.}]
    required: false
  - {id: why_not, prompt: Why not?, type: text, when: {label: ["no"]}}
  - {id: overall, prompt: Overall?, type: scale, min: 1, max: 5, step: 0, required: false}
  - {id: sure, prompt: How sure?, type: percent, covers: [tone, label], required: false}
  - id: correct
    prompt: Is the sentence correct?
    type: choice
    per: part
    options: [{value: right, description: Right.}, {value: wrong, description: Wrong.}]
  - {id: reference, prompt: What is the answer?, type: answer, of: case, required: false}
stages:
  - [tone, label, why_not, overall, sure, correct]
  - [reference]
measures:
  - {statistic: mean, question: tone, by: model}
  - {statistic: percent_agreement, question: label}
targets:
  - {name: Tone, statistic: mean, question: tone, at_least: 2}
',1767225660000000);
INSERT INTO "protocol" VALUES('69672523d9923773beea495e5e63e7444b17f36066978b08ab9d1f2ee813f6f7','halo-support','name: halo-support
title: Is the answer supported by its context?
about: >-
  A system answered a question from the passages it was given. Say whether those passages bear the
  answer out, speak against it, or leave it open. Your labels are compared with the label that an
  automatic check gave to the same answer.

instructions:
  - Read the question, so that you know what was to be found out.
  - Read the context. It is the only evidence that counts here; set aside what you know yourself.
  - Read the generated answer and take it apart into the claims it makes.
  - Hold each claim against the context.
  - Choose the label. The decision aid settles mixed answers; you may overrule it.
  - Write a note wherever you hesitated, so that others can follow you.
  - Judge support alone. A clumsy or incomplete answer is supported if what it does say is in the context.

item:
  key: [id, model]
  case: id
  system: model
  fields:
    id: {label: Sample, show: none}
    question: {label: Question, of: case}
    context: {label: Context, show: long}
    generated_answer: {label: Generated answer}
    gold_answer: {label: Expected answer, show: after, required: false}
    auto_label:
      label: Automatic label
      show: hidden
      required: false
      answers: {rater: auto, kind: automatic, question: label}
    human_label: {label: Label by a person, show: hidden, required: false, exchange: label}
    notes: {label: Notes, show: hidden, required: false, exchange: notes}
    model: {label: System, show: hidden, required: false}

questions:
  - id: label
    prompt: What does the context say about the generated answer?
    object: the answer against its context
    type: choice
    level: nominal
    options:
      - value: SUPPORTED
        label: Supported
        description: >-
          Everything the answer claims can be checked in the context and agrees with it. Be strict:
          one claim that you cannot find there is enough to rule this label out.
        examples:
          - >-
            Asked when the lighthouse was lit; the context says it was lit in 1862; the answer says 1862.
      - value: CONTRADICTED
        label: Contradicted
        description: >-
          The context says otherwise: at least one claim conflicts with it or gets one of its facts
          clearly wrong. Be careful: that a claim is missing from the context is no contradiction.
        examples:
          - >-
            Asked when the lighthouse was lit; the context says it was lit in 1862; the answer says 1902.
      - value: NO EVIDENCE
        label: No evidence
        description: >-
          The context is too thin, or about something else, to confirm the answer or to refute it.
          The answer may well be true. Also the label to take when you cannot decide.
        examples:
          - >-
            Asked when the lighthouse was lit; the context describes only its height; the answer says 1862.
  - id: notes
    label: Notes
    prompt: What made this one hard, or what should others know? (Most useful for unclear cases.)
    type: text
    required: false

aid:
  - Does the context contradict any claim of the answer outright? Then CONTRADICTED.
  - Otherwise, is there any claim that the context neither confirms nor refutes? Then NO EVIDENCE.
  - Otherwise, is every claim confirmed by the context? Then SUPPORTED.
  - Does the answer make no claim at all, or do you remain unsure? Then NO EVIDENCE.

examples:
  - title: The context says the same in other words
    fields:
      question: How long is the footbridge at Carrick?
      context: >-
        The rope footbridge at Carrick spans some 20 metres between the cliff and a small island.
        Fishermen once put it up each spring.
      generated_answer: The bridge is about 20 metres long.
    answers: {label: SUPPORTED, notes: The length is given in the first sentence.}
  - title: The context gives another figure
    fields:
      question: How long is the footbridge at Carrick?
      context: >-
        The rope footbridge at Carrick spans some 20 metres between the cliff and a small island.
        Fishermen once put it up each spring.
      generated_answer: The bridge is roughly 90 metres long.
    answers: {label: CONTRADICTED, notes: 90 metres against some 20 in the context.}
  - title: Perhaps true, but not from this context
    fields:
      question: How long is the footbridge at Carrick?
      context: >-
        Carrick has a rope footbridge. Salmon fishermen used to put it up each spring and take it
        down in autumn.
      generated_answer: The bridge is about 20 metres long.
    answers: {label: NO EVIDENCE, notes: The context gives no length.}
  - title: One claim holds, another is not in the context
    fields:
      question: Who built the footbridge at Carrick, and what for?
      context: >-
        Carrick has a rope footbridge. Salmon fishermen used to put it up each spring and take it
        down in autumn.
      generated_answer: Salmon fishermen put it up, first in 1755.
    answers:
      label: NO EVIDENCE
      notes: The fishermen are in the context, the year is not; nothing contradicts it.

judge:
  role: >-
    You are an annotator. You decide whether a generated answer is borne out by the context it was
    written from, and by nothing else.
  duties:
    - Read the question, the whole context and the whole answer before you decide.
    - Name the claims of the answer and, for each, the words of the context that settle it.
    - Choose exactly one label; apply the decision aid to mixed answers.
    - Put into the notes what made you hesitate, if anything did.
  qualities:
    - Strict, in that what the context does not say is not supported.
    - Careful, in that only a conflict with the context is a contradiction.
    - Indifferent to style, length and completeness of the answer.

measures:
  - {statistic: percent_match, question: label, by: model}
  - {statistic: difference_percent_match, question: label}
  - {statistic: kappa_human_auto, question: label}
  - {statistic: kappa_raters, question: label}
  - {statistic: agreement_jaccard, question: label}
  - {statistic: agreement_of_auto, question: label}
  - {statistic: agreement_of_human, question: label}
  - {statistic: agreement_specific, question: label}
  - {statistic: percent_agreement, question: label}
  - {statistic: alpha_nominal, question: label}
  - {statistic: kappa_fleiss, question: label}
  - {statistic: ac1, question: label}
  - statistic: proportion_supported
    question: label
    is: [SUPPORTED]
    of: [SUPPORTED, CONTRADICTED, NO EVIDENCE]
    by: model
  - statistic: proportion_contradicted
    question: label
    is: [CONTRADICTED]
    of: [SUPPORTED, CONTRADICTED, NO EVIDENCE]
    by: model
  - statistic: proportion_no_evidence
    question: label
    is: [NO EVIDENCE]
    of: [SUPPORTED, CONTRADICTED, NO EVIDENCE]
    by: model

targets:
  - {name: Match with the automatic label, statistic: percent_match, question: label, at_least: 0.85}
  - {name: κ of people and automatic label, statistic: kappa_human_auto, question: label, at_least: 0.70}
  - {name: κ among people, statistic: kappa_raters, question: label, at_least: 0.70}
',1767227940000000);
CREATE TABLE question (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	protocol_hash TEXT NOT NULL, 
	name TEXT NOT NULL, 
	type TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	UNIQUE (protocol_hash, name), 
	FOREIGN KEY(protocol_hash) REFERENCES protocol (hash)
);
INSERT INTO "question" VALUES(1,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','tone','scale',0);
INSERT INTO "question" VALUES(2,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','tone_comment','text',1);
INSERT INTO "question" VALUES(3,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','label','choice',2);
INSERT INTO "question" VALUES(4,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','why_not','text',3);
INSERT INTO "question" VALUES(5,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','overall','scale',4);
INSERT INTO "question" VALUES(6,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','sure','percent',5);
INSERT INTO "question" VALUES(7,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','correct','choice',6);
INSERT INTO "question" VALUES(8,'a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246','reference','answer',7);
INSERT INTO "question" VALUES(9,'69672523d9923773beea495e5e63e7444b17f36066978b08ab9d1f2ee813f6f7','label','choice',0);
INSERT INTO "question" VALUES(10,'69672523d9923773beea495e5e63e7444b17f36066978b08ab9d1f2ee813f6f7','notes','text',1);
CREATE TABLE rater (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind TEXT NOT NULL, 
	version TEXT, 
	pseudonym TEXT NOT NULL, 
	added_at BIGINT NOT NULL, 
	UNIQUE (pseudonym)
);
INSERT INTO "rater" VALUES(1,'human',NULL,'R-qpf9',1767225660000000);
INSERT INTO "rater" VALUES(2,'human',NULL,'R-fcwx',1767225660000000);
INSERT INTO "rater" VALUES(3,'human',NULL,'R-tbdt',1767225660000000);
INSERT INTO "rater" VALUES(4,'automatic',NULL,'R-9y55',1767225720000000);
INSERT INTO "rater" VALUES(5,'human',NULL,'R-bpmx',1767227040000000);
INSERT INTO "rater" VALUES(6,'adjudicator',NULL,'R-ze7e',1767227220000000);
INSERT INTO "rater" VALUES(7,'key',NULL,'R-8xba',1767227340000000);
INSERT INTO "rater" VALUES(8,'model','robot, prompts 1','R-8wat',1767227760000000);
CREATE TABLE reply (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	"key" TEXT NOT NULL, 
	text TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	at BIGINT NOT NULL
);
INSERT INTO "reply" VALUES(1,'run/1d6ca7aecbb9f33ffc070911ed94d6eaa8397a6a342bd89b8249fe53b61dd049','','{"examples": null, "identity": {"model": "robot"}, "replicates": 1}',1767227460000000);
INSERT INTO "reply" VALUES(2,'3b6cf5b05457f2c00b80dc9fd618c08434a582f3cf388569090397063ae7553e','{"tone": {"reasoning": "“the second part” says so.", "score": 3}, "label": {"reasoning": "“the second part” says so.", "answer": "yes"}, "why_not": "Said in a line.", "overall": {"reasoning": "“the second part” says so.", "score": 2.6}, "sure": 50, "parts": [{"part": 1, "correct": {"reasoning": "“the second part” says so.", "answer": "right"}}, {"part": 2, "correct": {"reasoning": "“the second part” says so.", "answer": "right"}}]}','{"asked": {"model": "robot"}, "prompt": "694d6fdfe0060dc1cf2484011a5a43a2cf017c2f82aa97e1889dccd6fa4ab9b8", "retries": 0}',1767227520000000);
INSERT INTO "reply" VALUES(3,'a7f3c4eaba4e65eee708bc5cacdc127fc246980082e0a5de19d26e26641f4ac0','{"tone": {"reasoning": "“the second part” says so.", "score": 2}, "label": {"reasoning": "“the second part” says so.", "answer": "no"}, "why_not": "Said in a line.", "overall": {"reasoning": "“the second part” says so.", "score": 4.2}, "sure": 51, "parts": [{"part": 1, "correct": {"reasoning": "“the second part” says so.", "answer": "right"}}, {"part": 2, "correct": {"reasoning": "“the second part” says so.", "answer": "right"}}]}','{"asked": {"model": "robot"}, "prompt": "694d6fdfe0060dc1cf2484011a5a43a2cf017c2f82aa97e1889dccd6fa4ab9b8", "retries": 0}',1767227580000000);
INSERT INTO "reply" VALUES(4,'e4783bd1c13ffbc151720cb39bad474e2c1ab4019a15380830b93ddd7de72f5f','{"reference": "Said in a line."}','{"asked": {"model": "robot"}, "prompt": "db8308ba27feac59da678833b75f57f7192ba790a769065b8c42fe83fae8ae28", "retries": 0}',1767227640000000);
INSERT INTO "reply" VALUES(5,'665a74bc291a56be3f9bcd3fe486205062abee3bb8ef83ef0f8bcb6277320dfe','{"reference": "Said in a line."}','{"asked": {"model": "robot"}, "prompt": "db8308ba27feac59da678833b75f57f7192ba790a769065b8c42fe83fae8ae28", "retries": 0}',1767227700000000);
CREATE TABLE round (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	protocol_hash TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	secret TEXT NOT NULL, 
	bare BOOLEAN NOT NULL, 
	per_item INTEGER, 
	cluster TEXT, 
	options TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	UNIQUE (name), 
	FOREIGN KEY(protocol_hash) REFERENCES protocol (hash)
);
INSERT INTO "round" VALUES(1,'mixed','a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246',7,'759bc1e70d33597fa5cbf1173d6389af',0,NULL,'topic','{}',1767225660000000);
INSERT INTO "round" VALUES(2,'labels','69672523d9923773beea495e5e63e7444b17f36066978b08ab9d1f2ee813f6f7',1,'c5eb11375d83a9cff51b41678db3d9ff',0,NULL,NULL,'{}',1767227940000000);
CREATE TABLE round_event (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	round_id INTEGER NOT NULL, 
	action TEXT NOT NULL, 
	rater_id INTEGER, 
	reason TEXT, 
	detail TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id)
);
INSERT INTO "round_event" VALUES(1,1,'open',NULL,NULL,'{"items": 6, "source": "items.csv"}',1767225660000000);
INSERT INTO "round_event" VALUES(2,1,'add_rater',5,NULL,'{}',1767227040000000);
INSERT INTO "round_event" VALUES(3,1,'exclude',3,'left the study','{}',1767227160000000);
INSERT INTO "round_event" VALUES(4,1,'add_rater',6,NULL,'{}',1767227220000000);
INSERT INTO "round_event" VALUES(5,1,'add_rater',7,NULL,'{}',1767227340000000);
INSERT INTO "round_event" VALUES(6,1,'add_rater',8,NULL,'{}',1767227760000000);
INSERT INTO "round_event" VALUES(7,1,'erase',5,NULL,'{}',1767227880000000);
INSERT INTO "round_event" VALUES(8,2,'open',NULL,NULL,'{"items": 3, "source": "labels.csv"}',1767227940000000);
INSERT INTO "round_event" VALUES(9,2,'items_file',NULL,NULL,'{"encoding": "utf-8", "mark": "", "text": "id,question,context,generated_answer,gold_answer,auto_label,human_label,notes,model\r\nh1,\"Who, when?\",\"Ctx \"\"a\"\"\",In 1862.,1862,SUPPORTED,,,m1\r\nh1,\"Who, when?\",Ctx b,In 1902.,1862,CONTRADICTED,,,m2\r\nh2,What?,Ctx c,A mill.,A mill,,,,m1\r\n"}',1767227940000000);
INSERT INTO "round_event" VALUES(10,2,'import',NULL,NULL,'{"added": 4, "replaced": 0, "source": "table"}',1767228120000000);
INSERT INTO "round_event" VALUES(11,2,'close',NULL,'done','{}',1767228300000000);
CREATE TABLE round_rater (
	round_id INTEGER NOT NULL, 
	rater_id INTEGER NOT NULL, 
	added_at BIGINT NOT NULL, 
	PRIMARY KEY (round_id, rater_id), 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(rater_id) REFERENCES rater (id)
);
INSERT INTO "round_rater" VALUES(1,1,1767225660000000);
INSERT INTO "round_rater" VALUES(1,2,1767225660000000);
INSERT INTO "round_rater" VALUES(1,3,1767225660000000);
INSERT INTO "round_rater" VALUES(1,4,1767225720000000);
INSERT INTO "round_rater" VALUES(1,5,1767227040000000);
INSERT INTO "round_rater" VALUES(1,6,1767227220000000);
INSERT INTO "round_rater" VALUES(1,7,1767227340000000);
INSERT INTO "round_rater" VALUES(1,8,1767227760000000);
INSERT INTO "round_rater" VALUES(2,1,1767227940000000);
INSERT INTO "round_rater" VALUES(2,4,1767228000000000);
CREATE TABLE shown_value (
	subject_id INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (subject_id, part, name), 
	FOREIGN KEY(subject_id) REFERENCES subject (id)
)
 WITHOUT ROWID

;
INSERT INTO "shown_value" VALUES(1,0,'domain','d0');
INSERT INTO "shown_value" VALUES(1,0,'question','Question 0?');
INSERT INTO "shown_value" VALUES(2,0,'text','First of 0a. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(3,0,'text','First of 0b. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(4,0,'domain','d1');
INSERT INTO "shown_value" VALUES(4,0,'question','Question 1?');
INSERT INTO "shown_value" VALUES(5,0,'text','First of 1a. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(6,0,'text','First of 1b. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(7,0,'domain','d0');
INSERT INTO "shown_value" VALUES(7,0,'question','Question 2?');
INSERT INTO "shown_value" VALUES(8,0,'text','First of 2a. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(9,0,'text','First of 2b. Second – “é”, 漢.');
INSERT INTO "shown_value" VALUES(10,0,'question','Who, when?');
INSERT INTO "shown_value" VALUES(11,0,'context','Ctx "a"');
INSERT INTO "shown_value" VALUES(11,0,'generated_answer','In 1862.');
INSERT INTO "shown_value" VALUES(12,0,'context','Ctx b');
INSERT INTO "shown_value" VALUES(12,0,'generated_answer','In 1902.');
INSERT INTO "shown_value" VALUES(13,0,'question','What?');
INSERT INTO "shown_value" VALUES(14,0,'context','Ctx c');
INSERT INTO "shown_value" VALUES(14,0,'generated_answer','A mill.');
CREATE TABLE subject (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	round_id INTEGER NOT NULL, 
	kind TEXT NOT NULL CHECK (kind IN ('item', 'case')), 
	"key" TEXT NOT NULL, 
	ref TEXT NOT NULL, 
	case_id INTEGER, 
	role TEXT NOT NULL, 
	batch INTEGER NOT NULL, 
	source_row INTEGER, 
	probability FLOAT, 
	added_at BIGINT NOT NULL, 
	UNIQUE (round_id, kind, "key"), 
	UNIQUE (round_id, ref), 
	FOREIGN KEY(round_id) REFERENCES round (id), 
	FOREIGN KEY(case_id) REFERENCES subject (id)
);
INSERT INTO "subject" VALUES(1,1,'case','q0','e40859e836a02749',NULL,'main',0,NULL,NULL,1767225660000000);
INSERT INTO "subject" VALUES(2,1,'item','q0/a','072fc3b6a3f709c5',1,'main',0,1,NULL,1767225660000000);
INSERT INTO "subject" VALUES(3,1,'item','q0/b','0cdb1fa818045ad7',1,'main',0,2,NULL,1767225660000000);
INSERT INTO "subject" VALUES(4,1,'case','q1','cb9e328410d1b070',NULL,'main',0,NULL,NULL,1767225660000000);
INSERT INTO "subject" VALUES(5,1,'item','q1/a','e7d416435a69f389',4,'main',0,3,NULL,1767225660000000);
INSERT INTO "subject" VALUES(6,1,'item','q1/b','8fbd2bad1d39f1aa',4,'main',0,4,NULL,1767225660000000);
INSERT INTO "subject" VALUES(7,1,'case','q2','31effff7ae0e1d79',NULL,'main',0,NULL,NULL,1767225660000000);
INSERT INTO "subject" VALUES(8,1,'item','q2/a','2238a0f09a2e3940',7,'main',0,5,NULL,1767225660000000);
INSERT INTO "subject" VALUES(9,1,'item','q2/b','677fdd2aa6bde639',7,'main',0,6,NULL,1767225660000000);
INSERT INTO "subject" VALUES(10,2,'case','h1','00657215cc5bd532',NULL,'main',0,NULL,NULL,1767227940000000);
INSERT INTO "subject" VALUES(11,2,'item','h1/m1','42fb7b1d62cc9589',10,'main',0,2,NULL,1767227940000000);
INSERT INTO "subject" VALUES(12,2,'item','h1/m2','bf6f833b79aee2d2',10,'main',0,3,NULL,1767227940000000);
INSERT INTO "subject" VALUES(13,2,'case','h2','267294789bf58dff',NULL,'main',0,NULL,NULL,1767227940000000);
INSERT INTO "subject" VALUES(14,2,'item','h2/m1','cb7fb4b46a5aa363',13,'main',0,4,NULL,1767227940000000);
CREATE TABLE workspace (
	id INTEGER NOT NULL CHECK (id = 1), 
	schema_version INTEGER NOT NULL, 
	secret TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "workspace" VALUES(1,1,'254b7197bde3092f557ba1c7ed13395f',1767225600000000);
CREATE INDEX reply_key ON reply ("key");
CREATE INDEX round_event_round ON round_event (round_id, seq);
CREATE INDEX subject_case ON subject (case_id);
CREATE INDEX plan_event_round ON plan_event (round_id, rater_id);
CREATE INDEX answer_event_cell ON answer_event (subject_id, rater_id);
CREATE VIEW current_answer AS
SELECT round.name AS round, subject.kind AS about, subject.key AS subject, e.part,
       COALESCE(identity.name, rater.pseudonym) AS rater, rater.kind AS rater_kind,
       question.name AS question, e.replicate,
       COALESCE(allowed.value, CAST(e.number AS TEXT), e.text) AS value,
       e.status, e.reason, e.confidence, e.seconds, e.revision, e.server_time
FROM (SELECT *,
             ROW_NUMBER() OVER (cell ORDER BY lamport DESC, seq DESC) AS age,
             COUNT(*) OVER cell AS revision
      FROM answer_event
      WINDOW cell AS (PARTITION BY rater_id, subject_id, part, question_id, replicate)) AS e
JOIN round ON round.id = e.round_id
JOIN subject ON subject.id = e.subject_id
JOIN rater ON rater.id = e.rater_id
LEFT JOIN identity ON identity.rater_id = e.rater_id
JOIN question ON question.id = e.question_id
LEFT JOIN allowed ON allowed.id = e.value_id
WHERE e.age = 1 AND e.status <> 'retracted';
CREATE TRIGGER protocol_no_update BEFORE UPDATE ON protocol BEGIN SELECT RAISE(ABORT, 'protocol: what is stored is never changed'); END;
CREATE TRIGGER protocol_no_delete BEFORE DELETE ON protocol BEGIN SELECT RAISE(ABORT, 'protocol: what is stored is never changed'); END;
CREATE TRIGGER protocol_no_replace BEFORE INSERT ON protocol WHEN EXISTS (SELECT 1 FROM protocol WHERE (hash = NEW.hash)) BEGIN SELECT RAISE(ABORT, 'protocol: what is stored is never changed'); END;
CREATE TRIGGER rater_no_update BEFORE UPDATE ON rater BEGIN SELECT RAISE(ABORT, 'rater: what is stored is never changed'); END;
CREATE TRIGGER rater_no_delete BEFORE DELETE ON rater BEGIN SELECT RAISE(ABORT, 'rater: what is stored is never changed'); END;
CREATE TRIGGER rater_no_replace BEFORE INSERT ON rater WHEN EXISTS (SELECT 1 FROM rater WHERE (id = NEW.id) OR (pseudonym = NEW.pseudonym)) BEGIN SELECT RAISE(ABORT, 'rater: what is stored is never changed'); END;
CREATE TRIGGER reply_no_update BEFORE UPDATE ON reply BEGIN SELECT RAISE(ABORT, 'reply: what is stored is never changed'); END;
CREATE TRIGGER reply_no_delete BEFORE DELETE ON reply BEGIN SELECT RAISE(ABORT, 'reply: what is stored is never changed'); END;
CREATE TRIGGER reply_no_replace BEFORE INSERT ON reply WHEN EXISTS (SELECT 1 FROM reply WHERE (seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'reply: what is stored is never changed'); END;
CREATE TRIGGER workspace_no_delete BEFORE DELETE ON workspace BEGIN SELECT RAISE(ABORT, 'workspace: what is stored is never changed'); END;
CREATE TRIGGER workspace_no_replace BEFORE INSERT ON workspace WHEN EXISTS (SELECT 1 FROM workspace WHERE (id = NEW.id)) BEGIN SELECT RAISE(ABORT, 'workspace: what is stored is never changed'); END;
CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure BEGIN SELECT RAISE(ABORT, 'erasure: what is stored is never changed'); END;
CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure BEGIN SELECT RAISE(ABORT, 'erasure: what is stored is never changed'); END;
CREATE TRIGGER erasure_no_replace BEFORE INSERT ON erasure WHEN EXISTS (SELECT 1 FROM erasure WHERE (rater_id = NEW.rater_id)) BEGIN SELECT RAISE(ABORT, 'erasure: what is stored is never changed'); END;
CREATE TRIGGER question_no_update BEFORE UPDATE ON question BEGIN SELECT RAISE(ABORT, 'question: what is stored is never changed'); END;
CREATE TRIGGER question_no_delete BEFORE DELETE ON question BEGIN SELECT RAISE(ABORT, 'question: what is stored is never changed'); END;
CREATE TRIGGER question_no_replace BEFORE INSERT ON question WHEN EXISTS (SELECT 1 FROM question WHERE (id = NEW.id) OR (protocol_hash = NEW.protocol_hash AND name = NEW.name)) BEGIN SELECT RAISE(ABORT, 'question: what is stored is never changed'); END;
CREATE TRIGGER round_no_update BEFORE UPDATE ON round BEGIN SELECT RAISE(ABORT, 'round: what is stored is never changed'); END;
CREATE TRIGGER round_no_delete BEFORE DELETE ON round BEGIN SELECT RAISE(ABORT, 'round: what is stored is never changed'); END;
CREATE TRIGGER round_no_replace BEFORE INSERT ON round WHEN EXISTS (SELECT 1 FROM round WHERE (id = NEW.id) OR (name = NEW.name)) BEGIN SELECT RAISE(ABORT, 'round: what is stored is never changed'); END;
CREATE TRIGGER allowed_no_update BEFORE UPDATE ON allowed BEGIN SELECT RAISE(ABORT, 'allowed: what is stored is never changed'); END;
CREATE TRIGGER allowed_no_delete BEFORE DELETE ON allowed BEGIN SELECT RAISE(ABORT, 'allowed: what is stored is never changed'); END;
CREATE TRIGGER allowed_no_replace BEFORE INSERT ON allowed WHEN EXISTS (SELECT 1 FROM allowed WHERE (id = NEW.id) OR (question_id = NEW.question_id AND id = NEW.id) OR (question_id = NEW.question_id AND value = NEW.value)) BEGIN SELECT RAISE(ABORT, 'allowed: what is stored is never changed'); END;
CREATE TRIGGER round_event_no_update BEFORE UPDATE ON round_event BEGIN SELECT RAISE(ABORT, 'round_event: what is stored is never changed'); END;
CREATE TRIGGER round_event_no_delete BEFORE DELETE ON round_event BEGIN SELECT RAISE(ABORT, 'round_event: what is stored is never changed'); END;
CREATE TRIGGER round_event_no_replace BEFORE INSERT ON round_event WHEN EXISTS (SELECT 1 FROM round_event WHERE (seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'round_event: what is stored is never changed'); END;
CREATE TRIGGER round_rater_no_update BEFORE UPDATE ON round_rater BEGIN SELECT RAISE(ABORT, 'round_rater: what is stored is never changed'); END;
CREATE TRIGGER round_rater_no_delete BEFORE DELETE ON round_rater BEGIN SELECT RAISE(ABORT, 'round_rater: what is stored is never changed'); END;
CREATE TRIGGER round_rater_no_replace BEFORE INSERT ON round_rater WHEN EXISTS (SELECT 1 FROM round_rater WHERE (round_id = NEW.round_id AND rater_id = NEW.rater_id)) BEGIN SELECT RAISE(ABORT, 'round_rater: what is stored is never changed'); END;
CREATE TRIGGER subject_no_update BEFORE UPDATE ON subject BEGIN SELECT RAISE(ABORT, 'subject: what is stored is never changed'); END;
CREATE TRIGGER subject_no_delete BEFORE DELETE ON subject BEGIN SELECT RAISE(ABORT, 'subject: what is stored is never changed'); END;
CREATE TRIGGER subject_no_replace BEFORE INSERT ON subject WHEN EXISTS (SELECT 1 FROM subject WHERE (id = NEW.id) OR (round_id = NEW.round_id AND kind = NEW.kind AND key = NEW.key) OR (round_id = NEW.round_id AND ref = NEW.ref)) BEGIN SELECT RAISE(ABORT, 'subject: what is stored is never changed'); END;
CREATE TRIGGER answer_event_no_update BEFORE UPDATE ON answer_event BEGIN SELECT RAISE(ABORT, 'answer_event: what is stored is never changed'); END;
CREATE TRIGGER answer_event_no_delete BEFORE DELETE ON answer_event BEGIN SELECT RAISE(ABORT, 'answer_event: what is stored is never changed'); END;
CREATE TRIGGER answer_event_no_replace BEFORE INSERT ON answer_event WHEN EXISTS (SELECT 1 FROM answer_event WHERE (round_id = NEW.round_id AND rater_id = NEW.rater_id AND event_id = NEW.event_id) OR (seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'answer_event: what is stored is never changed'); END;
CREATE TRIGGER hidden_value_frozen_update BEFORE UPDATE ON hidden_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = OLD.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = OLD.subject_id)) BEGIN SELECT RAISE(ABORT, 'hidden_value: frozen since its first answer'); END;
CREATE TRIGGER hidden_value_frozen_delete BEFORE DELETE ON hidden_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = OLD.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = OLD.subject_id)) BEGIN SELECT RAISE(ABORT, 'hidden_value: frozen since its first answer'); END;
CREATE TRIGGER hidden_value_frozen_insert BEFORE INSERT ON hidden_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = NEW.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = NEW.subject_id)) BEGIN SELECT RAISE(ABORT, 'hidden_value: frozen since its first answer'); END;
CREATE TRIGGER mark_event_no_update BEFORE UPDATE ON mark_event BEGIN SELECT RAISE(ABORT, 'mark_event: what is stored is never changed'); END;
CREATE TRIGGER mark_event_no_delete BEFORE DELETE ON mark_event BEGIN SELECT RAISE(ABORT, 'mark_event: what is stored is never changed'); END;
CREATE TRIGGER mark_event_no_replace BEFORE INSERT ON mark_event WHEN EXISTS (SELECT 1 FROM mark_event WHERE (round_id = NEW.round_id AND rater_id = NEW.rater_id AND event_id = NEW.event_id) OR (seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'mark_event: what is stored is never changed'); END;
CREATE TRIGGER part_no_update BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'part: what is stored is never changed'); END;
CREATE TRIGGER part_no_delete BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'part: what is stored is never changed'); END;
CREATE TRIGGER part_no_replace BEFORE INSERT ON part WHEN EXISTS (SELECT 1 FROM part WHERE (id = NEW.id) OR (subject_id = NEW.subject_id AND number = NEW.number)) BEGIN SELECT RAISE(ABORT, 'part: what is stored is never changed'); END;
CREATE TRIGGER plan_event_no_update BEFORE UPDATE ON plan_event BEGIN SELECT RAISE(ABORT, 'plan_event: what is stored is never changed'); END;
CREATE TRIGGER plan_event_no_delete BEFORE DELETE ON plan_event BEGIN SELECT RAISE(ABORT, 'plan_event: what is stored is never changed'); END;
CREATE TRIGGER plan_event_no_replace BEFORE INSERT ON plan_event WHEN EXISTS (SELECT 1 FROM plan_event WHERE (seq = NEW.seq)) BEGIN SELECT RAISE(ABORT, 'plan_event: what is stored is never changed'); END;
CREATE TRIGGER shown_value_frozen_update BEFORE UPDATE ON shown_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = OLD.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = OLD.subject_id)) BEGIN SELECT RAISE(ABORT, 'shown_value: frozen since its first answer'); END;
CREATE TRIGGER shown_value_frozen_delete BEFORE DELETE ON shown_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = OLD.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = OLD.subject_id)) BEGIN SELECT RAISE(ABORT, 'shown_value: frozen since its first answer'); END;
CREATE TRIGGER shown_value_frozen_insert BEFORE INSERT ON shown_value WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = NEW.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = NEW.subject_id)) BEGIN SELECT RAISE(ABORT, 'shown_value: frozen since its first answer'); END;
CREATE TRIGGER part_retired_no_update BEFORE UPDATE ON part_retired BEGIN SELECT RAISE(ABORT, 'part_retired: what is stored is never changed'); END;
CREATE TRIGGER part_retired_no_delete BEFORE DELETE ON part_retired BEGIN SELECT RAISE(ABORT, 'part_retired: what is stored is never changed'); END;
CREATE TRIGGER part_retired_no_replace BEFORE INSERT ON part_retired WHEN EXISTS (SELECT 1 FROM part_retired WHERE (part_id = NEW.part_id)) BEGIN SELECT RAISE(ABORT, 'part_retired: what is stored is never changed'); END;
CREATE TRIGGER part_frozen BEFORE INSERT ON part WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = NEW.subject_id) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = NEW.subject_id)) BEGIN SELECT RAISE(ABORT, 'parts are frozen since the first answer'); END;
CREATE TRIGGER part_retired_frozen BEFORE INSERT ON part_retired WHEN (EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' WHERE answer_event.subject_id = (SELECT subject_id FROM part WHERE id = NEW.part_id)) OR EXISTS (SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id AND rater.kind <> 'automatic' JOIN subject ON subject.id = answer_event.subject_id WHERE subject.case_id = (SELECT subject_id FROM part WHERE id = NEW.part_id))) BEGIN SELECT RAISE(ABORT, 'parts are frozen since the first answer'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('question',10);
INSERT INTO "sqlite_sequence" VALUES('allowed',10);
INSERT INTO "sqlite_sequence" VALUES('round',2);
INSERT INTO "sqlite_sequence" VALUES('subject',14);
INSERT INTO "sqlite_sequence" VALUES('rater',8);
INSERT INTO "sqlite_sequence" VALUES('round_event',11);
INSERT INTO "sqlite_sequence" VALUES('part',12);
INSERT INTO "sqlite_sequence" VALUES('plan_event',27);
INSERT INTO "sqlite_sequence" VALUES('answer_event',49);
INSERT INTO "sqlite_sequence" VALUES('mark_event',1);
INSERT INTO "sqlite_sequence" VALUES('reply',5);
COMMIT;
