import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { recallForMessage } from "../../../src/context/words/recall-for-message.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import { asksAboutFault, isAsking } from "../../../src/knowledge/words/question.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"

type Decisions = [text: string, question: string][]
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/recall/${name}`, import.meta.url), "utf8"))
/** Written after the rules and measured once: the bars are those figures. */
const lab: {
  decisions: Decisions
  symptoms: string[]
  neutral: string[]
  notes: Record<"things" | "events" | "causes", string[]>
} = read("laboratory.json")
/** Decisions of four public projects, and how a colleague would ask for them. */
const { projects }: { projects: { decisions: Decisions; neutral: string[] }[] } = read("projects.json")
/** What people ask when something does not work: without an answer, and with one. */
const symptoms: { unanswered: string[]; known: [kind: Mem["kind"], text: string, question: string][] } =
  read("symptoms.json")
const shop: { decisions: Decisions; noise: Record<"subjects" | "verbs" | "causes", string[]> } =
  read("why.json")

const KINDS: Mem["kind"][] = ["insight", "fact", "decision", "insight", "false_path", "fact", "pattern"]
const pick = (list: readonly string[], n: number) => list[n % list.length] ?? ""

async function hiveWith(
  mems: readonly Partial<Mem>[],
  notes = 200,
  note: (n: number) => Partial<Mem> = (n) => ({ content: `Colour ${n + 1000} of the palette` }),
): Promise<Hive> {
  const hive = memoryHive()
  await hive.store.append(by, (tx) => {
    for (const [n, mem] of mems.entries()) tx.add("mem", aMem(n + 1, mem))
    for (let n = 0; n < notes; n++) tx.add("mem", aMem(1000 + n, note(n)))
  })
  return hive
}

const asDecisions = (decisions: Decisions) =>
  decisions.map(([content]) => ({ content, kind: "decision" as const, resolved: true }))

const labNote = (n: number) => {
  const { things, events, causes } = lab.notes
  const content = `${pick(things, n * 7)} ${pick(events, n * 4)} ${pick(causes, n * 11)}, as ${pick(things, n * 13 + 5)} (${n})`
  return { content, kind: KINDS[n % KINDS.length] ?? "insight" }
}

async function idsFor(hive: Hive, text: string): Promise<string[]> {
  return (await recallForMessage(hive, text, "message")).map((each) => ("mem" in each ? each.mem.id : ""))
}

async function reasonsFor(hive: Hive, text: string): Promise<string[]> {
  return (await recallForMessage(hive, text, "message")).map(({ reason }) => reason)
}

async function unansweredOf(hive: Hive, questions: readonly string[]): Promise<string[]> {
  const missed: string[] = []
  for (const [n, question] of questions.entries())
    if (!(await idsFor(hive, question)).includes(uuid(n + 1))) missed.push(question)
  return missed
}

async function answeredOf(hive: Hive, messages: readonly string[]): Promise<string[]> {
  const answered: string[] = []
  for (const text of messages) {
    const reasons = await reasonsFor(hive, text)
    if (reasons.length > 0) answered.push(`${text} => ${reasons.join(" | ")}`)
  }
  return answered
}

describe("in a project that no rule was made with", () => {
  let hive: Hive
  beforeAll(async () => {
    hive = await hiveWith(asDecisions(lab.decisions), 1900, labNote)
  })

  it("a decision is found, also if the question sounds like a fault", async () => {
    const missed = await unansweredOf(
      hive,
      lab.decisions.map(([, question]) => question),
    )
    expect(lab.decisions.length).toBeGreaterThanOrEqual(60)
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(4)
  })

  it("a question about an unknown fault, or a message that asks nothing, brings nothing back", async () => {
    const wrong = await answeredOf(hive, lab.symptoms)
    expect(lab.symptoms.length).toBeGreaterThanOrEqual(30)
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(4)
    expect(lab.neutral.length).toBeGreaterThanOrEqual(30)
    expect(await answeredOf(hive, lab.neutral)).toEqual([])
  })
})

describe.each(projects.map((project, n) => ({ n, ...project })))("project $n", ({ decisions, neutral }) => {
  /** Each note has words of several decisions, as if all notes were about the same things. */
  const filled = () => {
    const words = decisions.flatMap(([text]) => text.match(/[\p{L}./]{4,}/gu) ?? [])
    return hiveWith(asDecisions(decisions), 2000, (n) => ({
      content: `${pick(VERBS, n)} ${pick(words, n * 7)} ${pick(words, n * 13 + 5)} for the ${pick(words, n * 31 + 11)} (#${n + 1000})`,
      kind: n % 3 === 0 ? "fact" : "insight",
    }))
  }
  const VERBS = ["Fix", "Update", "Add", "Remove", "Refactor", "Bump", "Document", "Test"]

  it("a decision is found by a question in other words, among notes that have its words", async () => {
    const hive = await filled()
    const questions = decisions.map(([, question]) => question)
    const late: string[] = []
    for (const [n, question] of questions.entries()) {
      const hits = await recall(hive, question, { limit: 5 })
      if (!hits.some(({ mem }) => mem.id === uuid(n + 1))) late.push(question)
    }
    const missed = await unansweredOf(hive, questions)
    expect(late.length / decisions.length, late.join("\n")).toBeLessThanOrEqual(0.1)
    expect(missed.length / decisions.length, missed.join("\n")).toBeLessThanOrEqual(0.1)
  })

  it("a request about other work brings nothing back", async () => {
    const wrong = await answeredOf(await filled(), neutral)
    expect(wrong.length / neutral.length, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })
})

describe("a question about a fault", () => {
  const filled = () => {
    const known = symptoms.known.map(([kind, content]) => ({ kind, content }))
    const { subjects, verbs, causes } = shop.noise
    const notes = [...asDecisions(shop.decisions)]
    return hiveWith(known, 1900 + notes.length, (n) => {
      const decision = notes[n]
      if (decision !== undefined) return decision
      const content = `${pick(subjects, n * 7)} ${pick(verbs, n * 3)} ${pick(causes, n * 11)} (${n})`
      return { content, kind: KINDS[n % KINDS.length] ?? "insight" }
    })
  }

  it("recalls nothing if it shares only common words with the mems", async () => {
    const wrong = await answeredOf(await filled(), symptoms.unanswered)
    expect(symptoms.unanswered).toHaveLength(180)
    expect(wrong.length / symptoms.unanswered.length, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })

  it("brings back a mem of any kind about the very thing", async () => {
    const missed = await unansweredOf(
      await filled(),
      symptoms.known.map(([, , question]) => question),
    )
    expect(missed.length / symptoms.known.length, missed.join("\n")).toBeLessThanOrEqual(0.1)
  })

  it.each([
    ["why is the build broken?", true],
    ["why do we get a 429?", true],
    ["Warum schlägt der Build fehl?", true],
    ["how come it hangs?", true],
    ["why do we crash when a rule throws?", false],
    ["why is an empty list rejected rather than ignored?", false],
    ["why do I have to log in twice?", false],
    ["why did the cache go away?", false],
    ["why do the reports run overnight?", false],
    ["why is the status page stale?", false],
    ["the build is broken", false],
  ])("is distinguished from a question about a choice: %s", (text, expected) => {
    expect(asksAboutFault(text)).toBe(expected)
  })
})

describe("asked why without an answer in the project", () => {
  it("few questions of other projects bring anything back", async () => {
    const hive = await hiveWith(asDecisions(lab.decisions), 500, labNote)
    const asked = [shop, ...projects].flatMap(({ decisions }) => decisions).map(([, question]) => question)
    const choices = asked.filter((question) => /\bwe\b/i.test(question))
    const wrong = await answeredOf(hive, choices)
    expect(choices.length).toBeGreaterThanOrEqual(50)
    expect(wrong.length / choices.length, wrong.join("\n")).toBeLessThanOrEqual(0.25)
  })

  it.each<{ what: string; known: string[]; nothing: string[]; one: string[] }>([
    {
      what: "a common word is not enough, unless it is most of the question",
      known: ["Two people approve each release", "Support has read access to production"],
      nothing: ["why do we require two factor login?", "why do we still support Internet Explorer?"],
      one: ["why did we want two people to approve it?", "why does support have access to production?"],
    },
    {
      what: "the only mem with a missing thing answers, but not a fault with it",
      known: ["No ORM: sqlc generates from queries", "Humidity is not measured, the sensor is too dear"],
      nothing: ["why is there no coffee?", "why is the sensor page blank since the last upgrade?"],
      one: ["why is there no ORM?", "why is there no humidity?", "why is humidity missing?"],
    },
  ])("$what", async ({ known, nothing, one }) => {
    const hive = await hiveWith(
      known.map((content) => ({ content, kind: "decision" })),
      200,
      labNote,
    )
    for (const text of nothing) expect(await reasonsFor(hive, text), text).toEqual([])
    for (const text of one) expect(await reasonsFor(hive, text), text).toHaveLength(1)
  })
})

it.each<{ what: string; mems: Partial<Mem>[]; found: Record<string, number[]> }>([
  {
    what: "a rare word that any message may have, or a small number, brings nothing back",
    mems: [
      { content: "Images are resized in a worker, never on the main thread" },
      { content: "The socket reconnects with backoff, at most 30 s" },
      { content: "A 429 of the upstream is tried again" },
    ],
    found: {
      "never mind": [],
      "push it to main": [],
      "I'll be back in 30 minutes": [],
      "that never worked": [],
      "what about the main thread?": [1],
      "why do we get a 429?": [3],
    },
  },
  {
    what: "a word of any conversation about code counts only beside a word of the subject",
    mems: [
      { content: "Catch errors of the socket in one place" },
      { content: "A comment above each migration says why it is safe" },
      { content: "Uploads fail behind the proxy of the office" },
    ],
    found: {
      "good catch!": [],
      "add a comment there": [],
      "it does fail again": [],
      "put it above the other one": [],
      "why is there a comment above a migration?": [2],
      "do uploads fail for you too?": [3],
    },
  },
  {
    what: "a note needs more than one word in common with a request; a decision and a name do not",
    mems: [
      { content: "The makefile has a target for docs" },
      { content: "No tabs but in the Dockerfile", kind: "decision" },
      { content: "parseStamp reads ten digits, too" },
    ],
    found: {
      "look at the makefile please": [],
      "look at the dockerfile please": [2],
      "fix parseStamp": [3],
      "what about the makefile?": [1],
    },
  },
])("$what", async ({ mems, found }) => {
  const hive = await hiveWith(mems, 196)
  for (const [text, numbers] of Object.entries(found))
    expect(await idsFor(hive, text), text).toEqual(numbers.map(uuid))
})

it("a question gets the decision, however many notes are about the same thing", async () => {
  const decision = { content: "The puppetmaster stays in the first iteration", kind: "decision" as const }
  const notes = Array.from({ length: 20 }, (_, n) => ({
    content: `Puppetmaster: puppetmaster restarted ${n}`,
  }))
  const hive = await hiveWith([decision, ...notes], 878)
  expect(await idsFor(hive, "why do we keep a puppetmaster?")).toContain(uuid(1))
  expect(await idsFor(hive, "why do we keep a palette?")).not.toContain(uuid(1))
})

it("asked why, the best decision needs few of the words, but the question has to be about the project", async () => {
  const decisions = [
    "Java has a repository of its own, its tools want the root",
    "Blank lines are kept, people group with them",
  ].map((content) => ({ content, kind: "decision" as const }))
  const notes = Array.from({ length: 27 }, (_, n) => ({ content: `Java: monorepo build ${n} moved` }))
  const hive = await hiveWith([...decisions, ...notes], 870)
  expect((await idsFor(hive, "why did java leave the monorepo?"))[0]).toBe(uuid(1))
  expect(await idsFor(hive, "why do we keep empty lines?")).toContain(uuid(2))
  expect(await idsFor(hive, "why did you add those lines?")).toEqual([])
})

it.each([
  ["why redis?", true],
  ["how do we log in", true],
  ["Warum nehmen wir Redis?", true],
  ["remind me of the cache", true],
  ["なぜRedis?", true],
  ["reason for redis?", true],
  ["what made us drop the queue", true],
  ["why is this a cookie?", true],
  ["could you check that?", false],
  ["it was broken", false],
  ["let me know when you are ready", false],
  ["add a comment", false],
  ["what does this trace say?", false],
])("asks about something known: %s %s", (text, expected) => {
  expect(isAsking(text)).toBe(expected)
})
