import { describe, expect, it } from "vitest"
import { findRules } from "../../../src/knowledge/rules/find-rules.ts"

describe("a standing instruction is kept at once", () => {
  it.each([
    ["From now on use pnpm."],
    ["never touch the generated files"],
    ["Also, please always run the linter before you commit."],
    ["We always squash before merging."],
    ["I'd like you to start all method names with 'md_'."],
    ["When naming variables, end them with '_n'."],
    ["Our convention is to write commit messages in English."],
    ["In this repo we commit the lock file."],
    ["Whenever you change the schema, run the migration test."],
    ["don't ever amend a pushed commit"],
    ["In this repo we don't use semicolons"],
    ["Whenever you commit, please sign off."],
    ["Always import the 'bz2' module, even if you don't use it in that particular script."],
  ])("%s", (sentence) => {
    expect(findRules(sentence).certain).toEqual([sentence])
  })

  it("two instructions in one sentence become two rules", () => {
    expect(findRules("Always start variable names with 'v_' and function names with 'f_'.").certain).toEqual([
      "Always start variable names with 'v_'",
      "start function names with 'f_'.",
    ])
  })
})

it.each([
  ["oh, please don't amend commits - it messes with the workflows"],
  ["and remember to use pagination"],
  ["use pnpm here, not npm"],
  ["can you please always run the tests before you say you're done"],
  ["No emojis in commit messages, ever."],
  ["In this repo all migrations are written by hand"],
  ["in future please ask before deleting files"],
  ["no default exports in this codebase"],
  ["keine Emojis mehr"],
  ["no, use the library for that"],
  ["we should be using the strong types instead of string wherever we can"],
])("asks about a sentence that may be a rule: %s", (sentence) => {
  expect(findRules(sentence)).toEqual({ certain: [], ended: [], possible: sentence })
})

it.each([
  ["always show the newest entries first in the list"],
  ["From now on users log in with their phone number. Change the form."],
  ["going forward the API will return 404 for unknown ids, adapt the client"],
  ["from now on the tests are green, thanks"],
  ["In our project every page takes 5 seconds to load."],
  ["in this repo we have a bug in the login, find it"],
  ["in this repo please find all usages of moment"],
  ["whenever I click save the page reloads, please fix that"],
  ["Always failing on CI, works locally"],
  ["Never got it to work on windows, so skip that"],
  ["We always call init() twice, that's the bug"],
  ["I want you to use all the icons from the new set"],
  ["I want you to write your findings to notes.md"],
  ["I need you to add your name to the contributors file"],
  ["tests must pass before you merge this"],
  ["You can always roll back if it fails"],
  ["from now on I'll be on the train, so push whatever you have"],
  ["always await the promise in save(), that's why it races"],
  ["In our codebase we keep the translations in i18n/, add the missing German ones"],
  ["don't ever return null from this function"],
  ["files need to be moved to src/lib"],
  ["Always use the same seed in this test"],
  ["we prefer the second approach, go ahead"],
  ["we require node 20 now, bump the engines field"],
  ["Acceptance criteria:\nNever store the password in plain text"],
  ["You are a code reviewer. Always answer in JSON."],
  ["write a prompt for the bot. Always be polite."],
  ["Copilot wrote:\nAlways sanitize the input before the query."],
  ["npm WARN deprecated: from now on use @foo/bar"],
])("what may be about the product, one order or the past is not kept at once: %s", (message) => {
  expect(findRules(message).certain).toEqual([])
})

describe("neither kept nor asked about", () => {
  it.each([
    ["fix the failing tests"],
    ["Should we always use pnpm?"],
    ["we could always add a cache later"],
    ["It always fails on the second run."],
    ["the README says:\n```\nAlways run make first.\n```\nis that right?"],
    ['She wrote "from now on everybody uses the new template" in the ticket, add a link to it'],
    ["> never merge without review\nwhere is this from?"],
    ["never mind"],
    ["Der Test schlägt immer noch fehl"],
    ["I have never seen this error"],
  ])("%s", (message) => {
    expect(findRules(message)).toEqual({ certain: [], ended: [], possible: undefined })
  })

  it("an instruction for this task alone is not kept", () => {
    expect(findRules("For this PR, always use the old name.").certain).toEqual([])
  })
})

it.each([
  ["You no longer need to always sign your commits.", "always sign your commits"],
  ["forget the rule about default exports", "default exports"],
  ["I no longer want this rule: never push", "never push"],
  ["We don't have to run the linter any more.", "run the linter"],
])("%s ends a rule", (message, ended) => {
  expect(findRules(message)).toMatchObject({ certain: [], ended: [ended] })
})
