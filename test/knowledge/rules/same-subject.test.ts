import { expect, it } from "vitest"
import { relationOf } from "../../../src/knowledge/rules/same-subject.ts"

it.each([
  ["Sessions live 5 minutes.", "Sessions live 10 minutes."],
  ["Use Redis for the cache", "Use Valkey for the cache"],
  ["Use Redis for the cache", "Use Valkey instead of Redis for the cache"],
  ["We use npm", "From now on we use pnpm"],
  ["The API listens on port 3000", "The API listens on port 4000"],
  ["The default branch is master", "The default branch is main"],
  ["End function names with '_b'.", "From now on, I'd like you to end all function names with '_x'."],
  ["Always use snake_case for class names", "When naming classes, use CamelCase"],
  ["Auth uses JWT", "Auth uses session cookies instead of JWT"],
  ["Use single quotes in TypeScript", "Use double quotes in TypeScript"],
  ["Add docstrings to all methods", "Don't add docstrings to methods any more"],
  ["Use tabs", "Don't use tabs"],
])("another value of the same subject replaces the older text: %s → %s", (older, newer) => {
  expect(relationOf(newer, older)).toBe("replaced")
})

it.each([
  ["Use tabs in Python", "Use tabs in Go"],
  ["The staging server runs on port 3000", "The production server runs on port 4000"],
  ["src/a.ts exports the parser", "src/b.ts exports the parser"],
  ["Use vitest for unit tests", "Use playwright for e2e tests"],
  ["Always use docstrings in methods", "Always use annotations in methods"],
  ["Import the 'secrets' module", "Import the 'locale' module"],
  ["Retry uploads 3 times", "Retry downloads 5 times"],
  ["Start function names with 'x_'", "End function names with '_x'"],
  ["End function names with '_x'", "End function argument names with '_y'"],
  ["Fixed the crash in the parser at line 30", "Fixed the crash in the parser at line 88"],
  ["Issue 12 is about login", "Issue 14 is about login"],
  ["The parser, finding 3", "The parser, finding 4"],
  ["claude-code fact 3", "claude-code fact 12"],
  ["Users of plan 1 get 5 seats", "Users of plan 2 get 5 seats"],
  ["Error 401 means not logged in", "Error 403 means not logged in"],
  ["Rate limit is 10 for guests", "Rate limit is 100 for members"],
  ["Start integration test names with 'it_'", "Start unit test names with 'ut_'"],
  ["Start private method names with '_'", "Start static method names with 's_'"],
  ["Use camelCase for local variables", "Use UPPER_CASE for global variables"],
  ["Use Redis for the cache", "Use Postgres instead of Redis for the queue"],
  ["Use mocks", "In tests use fakes instead of mocks"],
  ["Use pnpm", "Use yarn in docs/"],
  ["Log in with GitHub", "Mirror to GitLab"],
  ["Why is the build red?", "Why is the build slow?"],
])("other things stay side by side: %s | %s", (older, newer) => {
  expect(relationOf(newer, older)).toBeUndefined()
})

it("recognises the same rule in other words", () => {
  expect(
    relationOf("From now on, please end all variable names with '_n'.", "end variable names with '_n'"),
  ).toBe("same")
})

it.each([
  ["Start function names with 'f_'", "Start Python function names with 'p_'"],
  ["Always use tabs", "Use spaces for indentation"],
  ["From now on use pnpm", "Use yarn for installs"],
])("shows a possible change of the same subject as a conflict: %s | %s", (older, newer) => {
  expect(relationOf(newer, older)).toBe("conflict")
})

it("of pairs of unrelated or merely similar mems, at most one in a hundred would be replaced", () => {
  const subjects = [
    "login",
    "billing",
    "search",
    "export",
    "the mailer",
    "the parser",
    "the cache",
    "the queue",
    "upload",
    "the router",
  ]
  const facts = [
    (name: string) => `${name} retries 3 times before it gives up`,
    (name: string) => `Timeouts of ${name} are 5 seconds`,
    (name: string) => `Tests of ${name} need a database`,
    (name: string) => `We keep the state of ${name} in Postgres`,
    (name: string) => `${name} writes its log to logs/${name.replace("the ", "")}.log`,
    (name: string) => `Use feature flags for ${name}`,
  ]
  const texts = facts.flatMap((fact) => subjects.map(fact))
  const pairs = texts.flatMap((one, n) => texts.slice(0, n).map((other) => [one, other] as const))
  expect(pairs.length).toBeGreaterThan(500)
  expect(pairs.filter(([one, other]) => relationOf(one, other) === "replaced")).toEqual([])
})
