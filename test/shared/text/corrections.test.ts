import { describe, expect, it } from "vitest"
import { correctionIn, isApproval, saysGoOn } from "../../../src/shared/text/corrections.ts"

describe("the user corrects the agent", () => {
  it.each([
    "No, the old parser stays.",
    "nope, we keep both",
    "Wait, first look at the schema.",
    "That is wrong: the port is a number.",
    "this isn't quite right",
    "wrong branch",
    "you changed the wrong test",
    "that's not how our API works",
    "I said a function, not a class",
    "I didn't ask for a new file",
    "I meant the other button",
    "I would have expected an error here",
    "I don't want a dependency for that",
    "Please don't touch the lock file",
    "let's not rename it now",
    "You forgot the tests",
    "Why did you delete the comment?",
    "Please revert that.",
    "That doesn't help.",
    "Not in the header, but in the footer",
    "It should return a list",
    "use the standard library instead",
    "there's already a function for this",
    "The message isn't really clear enough",
    "🤦 that one is generated",
    "Nein, das war Absicht.",
    "Das stimmt nicht.",
    "Non, pas comme ça.",
    "No, eso no es lo que pedí.",
    "Нет, это не так.",
    "不对，应该用另一个",
    "いや、そっちじゃない",
  ])("%s", (text) => expect(correctionIn(text)?.sentence).toBe(text.split(/(?<=[.!?])\s/)[0]))

  it("in the second sentence too, which is returned", () => {
    expect(correctionIn("Thanks. But you removed the cache.")?.sentence).toBe("But you removed the cache.")
  })
})

describe("other messages", () => {
  it.each([
    "",
    "no problem, go ahead",
    "no tests yet",
    "No, that's fine, thanks",
    "no, go ahead",
    "wait for the build, then merge",
    "Add a retry to the client.",
    "Still a bit larger, please.",
    "Is the old one still needed?",
    "Don't worry about the types",
    "What does this function do?",
    "not sure about the name, what do you think?",
    "Fix the login: it returns a 401.",
    "yes, commit and push",
    "The build is red, can you have a look?",
    "Noch etwas größer, bitte.",
    "Ahora el mismo cambio en el pie de página.",
  ])("%s", (text) => expect(correctionIn(text)).toBeUndefined())

  it("code, quotations, lists and logs do not count", () => {
    expect(correctionIn('Print "that is wrong, please try again" there')).toBeUndefined()
    expect(correctionIn("Add this:\n```\n// that is wrong\n```")).toBeUndefined()
    expect(correctionIn("Look at the review:\n1. That is wrong.\n- revert that")).toBeUndefined()
    expect(correctionIn("error: this is wrong\n> you forgot the tests")).toBeUndefined()
  })

  it("text at the end of a long message does not count", () => {
    expect(correctionIn(`${"Here is a sentence. ".repeat(60)}That is wrong.`)).toBeUndefined()
  })
})

describe("words with which a call is rejected", () => {
  const rejecting = (text: string) => correctionIn(text, { rejectsCall: true })?.sentence

  it("are a correction if they state something", () => {
    expect(rejecting("put it into the settings file")).toBe("put it into the settings file")
    expect(correctionIn("put it into the settings file")).toBeUndefined()
  })

  it("are not a correction if they ask something, say to go on, or are missing", () => {
    for (const text of ["what does this do?", "(why?)", "ok, continue", "I did it myself - keep going", ""])
      expect(rejecting(text), text).toBeUndefined()
  })
})

it.each([
  ["It still fails on Windows", true],
  ["I still see the old text", true],
  ["That did not fix it", true],
  ["uh, it just happened again", true],
  ["two rows are missing again", true],
  ["Es geht immer noch nicht", true],
  ["还是不行", true],
  ["That is wrong.", false],
  ["The login doesn't work", false],
  ["can you remove the helper again", false],
])("%s: still wrong is %s", (text, isStillWrong) => {
  expect(correctionIn(text)).toEqual({ sentence: text, isStillWrong })
})

it.each([
  "let's do this as a separate PR",
  "and maybe we should do the logging in a follow-up issue, that is wrong here",
  "no, scratch that",
  "never mind, revert that",
  "no, my mistake",
  "actually, let's not do it",
])("%s: the user takes back or moves an idea", (text) => {
  expect(correctionIn(text, { rejectsCall: true })).toBeUndefined()
})

it.each([
  ["no, don't set it", true],
  ["nah let's keep it", true],
  ["please don't commit", true],
  ["let's not do it now", true],
  ["Nein, lass es so.", true],
  ["No, that is wrong.", false],
  ["no wait, I meant the other one", false],
  ["it still fails", false],
])("%s: an answer to a question is %s", (text, isAnswer) => {
  expect(correctionIn(text)).toBeDefined()
  expect(correctionIn(text, { isAnswer: true }) === undefined).toBe(isAnswer)
})

it.each([
  ["yes", true],
  ["ok, close it", true],
  ["Great, thanks!", true],
  ["looks good", true],
  ["that works now", true],
  ["commit this", true],
  ["danke", true],
  ["yes, but rename it", false],
  ["ok it generally works but the numbers are off", false],
  ["good morning", false],
  ["", false],
])("%j: approval is %s", (text, expected) => expect(isApproval(text)).toBe(expected))

it.each([
  ["please continue", true],
  ["ok, go on, but keep the old name", true],
  ["続けていいですが、これは考慮して", true],
  ["weiter", true],
  ["stop", false],
  ["the next line is a continuation", false],
])("%j: a request to go on is %s", (text, expected) => expect(saysGoOn(text)).toBe(expected))
