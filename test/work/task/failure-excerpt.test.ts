import { expect, it } from "vitest"
import { failureExcerpt } from "../../../src/work/task/failure-excerpt.ts"

const MAX = 1500

/** Per runner: passing lines, a failure as the runner prints it, and the parts that the excerpt must show. */
const runners: [runner: string, passing: string, failure: string, shown: string[]][] = [
  [
    "vitest",
    " ✓ a.test.ts > adds 0ms",
    " \u001b[31m×\u001b[39m b.test.ts > takes away 17ms\n   → expected 2 to be 3\n\n FAIL  b.test.ts > takes away\nAssertionError: expected 2 to be 3\n ❯ b.test.ts:2:115",
    ["× b.test.ts > takes away", "FAIL  b.test.ts", "expected 2 to be 3", "b.test.ts:2:115"],
  ],
  [
    "jest",
    "PASS src/a.test.js",
    "FAIL src/b.test.js\n  ● takes away\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 2",
    ["FAIL src/b.test.js", "● takes away", "Expected: 3", "Received: 2"],
  ],
  [
    "mocha",
    "    ✔ adds",
    "  1 failing\n\n  1) Math\n       takes away:\n\n      AssertionError [ERR_ASSERTION]: 2 == 3\n      at Context.<anonymous> (test/b.js:5:12)",
    ["1) Math", "takes away:", "2 == 3", "test/b.js:5:12"],
  ],
  [
    "node --test, tap",
    "# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: 0.1\n  ...",
    "# Subtest: takes away\nnot ok 2 - takes away\n  ---\n  location: '/p/b.test.mjs:2:1'\n  error: '2 == 3'\n  ...",
    ["not ok 2 - takes away", "b.test.mjs:2:1", "2 == 3"],
  ],
  [
    "node --test, spec",
    "✔ adds (0.3ms)",
    "✖ takes away (1.2ms)\n  AssertionError [ERR_ASSERTION]: 2 == 3",
    ["✖ takes away", "2 == 3"],
  ],
  [
    "pytest",
    "tests/test_a.py ....................   [ 50%]",
    '_______ test_bad _______\n\n    def test_bad():\n>       assert x == {"a": 2}\nE       AssertionError: assert 1 == 2\n\ntest_a.py:6: AssertionError\n=== short test summary info ===\nFAILED test_a.py::test_bad - AssertionError: assert 1 == 2',
    ["E       AssertionError: assert 1 == 2", "FAILED test_a.py::test_bad"],
  ],
  [
    "go test -v",
    "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)",
    "=== RUN   TestSub\n    sub_test.go:9: got 2, want 3\n--- FAIL: TestSub (0.00s)",
    ["sub_test.go:9: got 2, want 3", "--- FAIL: TestSub"],
  ],
  [
    "cargo test",
    "test adds ... ok",
    "test bad ... FAILED\n\nfailures:\n\n---- bad stdout ----\n\nthread 'bad' (27903) panicked at src/lib.rs:2:19:\nassertion `left == right` failed: numbers\n  left: 1\n right: 2\n   0: core::panicking::panic_fmt",
    ["test bad ... FAILED", "panicked at src/lib.rs:2:19", "left: 1", "right: 2"],
  ],
  [
    "cargo build",
    "   Compiling serde v1.0.0",
    'error[E0308]: mismatched types\n --> src/lib.rs:3:16\n  |\n3 | fn f() -> u8 { "x" }',
    ["error[E0308]: mismatched types", "--> src/lib.rs:3:16"],
  ],
  [
    "maven",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0 -- in AppTest",
    "[ERROR] SubTest.takesAway -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <3> but was: <2>\n[ERROR] -> [Help 1]\n[ERROR] Re-run Maven using the -X switch",
    ["SubTest.takesAway", "expected: <3> but was: <2>"],
  ],
  [
    "gradle",
    "AppTest > adds() PASSED",
    "SubTest > takesAway() FAILED\n    org.opentest4j.AssertionFailedError at SubTest.java:12\n\n* What went wrong:\nExecution failed for task ':test'.",
    ["SubTest > takesAway() FAILED", "SubTest.java:12", "':test'"],
  ],
  [
    "rspec",
    "  adds",
    "Failures:\n\n  1) Math takes away\n     Failure/Error: expect(2).to eq(3)\n\n       expected: 3\n            got: 2\n\nrspec ./spec/b_spec.rb:4 # Math takes away",
    ["1) Math takes away", "expected: 3", "got: 2", "rspec ./spec/b_spec.rb:4"],
  ],
  [
    "phpunit",
    "...............................................................  63 / 163 ( 38%)",
    "There was 1 failure:\n\n1) MathTest::testSub\nFailed asserting that 2 matches expected 3.\n\n/p/tests/MathTest.php:12",
    ["1) MathTest::testSub", "2 matches expected 3", "MathTest.php:12"],
  ],
  [
    "eslint",
    "> eslint src",
    "/p/src/b.js\n  1:5   error    'a' is never used  no-unused-vars\n  2:1   warning  Unexpected console statement  no-console",
    ["/p/src/b.js", "1:5   error    'a' is never used"],
  ],
  [
    "tsc",
    "> tsc --noEmit",
    "src/b.ts(1,7): error TS2322: Type 'string' is not…",
    ["src/b.ts(1,7): error TS2322"],
  ],
  [
    "golangci-lint",
    "level=info msg=running",
    "sub.go:4:2: ineffectual assignment to x (ineffassign)\n\tx = 1\n\t^",
    ["sub.go:4:2: ineffectual assignment"],
  ],
  [
    "biome",
    "Checked 40 files in 4ms. No fixes applied.",
    "b.js:1:12 lint/suspicious/noDebugger  FIXABLE  ━━━━━━━━\n\n  × This is an unexpected use of the debugger statement.",
    ["b.js:1:12 lint/suspicious/noDebugger", "× This is an unexpected use"],
  ],
  ["ruff", "ruff 0.9", "b.py:1:8: F401 [*] `os` imported but unused", ["b.py:1:8: F401"]],
  [
    "ruff, in full",
    "ruff 0.9",
    "F401 [*] `os` imported but unused\n --> b.py:1:8",
    ["F401 [*]", "--> b.py:1:8"],
  ],
]
it.each(runners)("the excerpt of a failed check shows what failed: %s", (_, passing, failure, shown) => {
  const many = `${passing}\n`.repeat(400)
  const excerpt = failureExcerpt(`${many}${failure}\n${many}`, MAX)
  for (const part of shown) expect(excerpt).toContain(part)
  expect(excerpt.length).toBeLessThanOrEqual(MAX + 100)
  // The excerpt has only a few passing lines: those right after the failure.
  expect(excerpt.split(passing.split("\n").at(-1) ?? "").length).toBeLessThanOrEqual(12)
})

it("names the first of many failures and counts the others", () => {
  const output = Array.from({ length: 200 }, (_, at) => `src/b${at}.ts(1,7): error TS2322: wrong type`).join(
    "\n",
  )
  const excerpt = failureExcerpt(output, MAX)
  expect(excerpt).toContain("src/b0.ts(1,7)")
  expect(excerpt).toMatch(/… and 1\d\d more failure lines$/)
  expect(excerpt.length).toBeLessThanOrEqual(MAX + 100)
})

it("shows the first and last lines of an unknown program's output", () => {
  const output = `began with a\n${"x\n".repeat(4000)}ended with z`
  const excerpt = failureExcerpt(output, MAX)
  expect(excerpt).toMatch(/^began with a\n.*characters left out.*ended with z$/s)
  expect(failureExcerpt("short\n", MAX)).toBe("short")
})
