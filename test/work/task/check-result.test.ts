import { describe, expect, it } from "vitest"
import { judgeChecks, judgeRun } from "../../../src/work/task/check-result.ts"

function behindTail(output: string, line = "npm test 2>&1 | tail -20") {
  return judgeChecks(line, { exit: 0, output })?.result
}

describe("where the exit is hidden, the runner's summary decides", () => {
  const runners: [runner: string, passed: string, failed: string][] = [
    [
      "vitest",
      " Test Files  2 passed (2)\n      Tests  5 passed | 1 skipped (6)",
      " Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)",
    ],
    [
      "vitest with skipped tests",
      " Test Files  1 skipped | 2 passed (3)\n      Tests  1 skipped | 4 passed (5)",
      " Test Files  2 passed (2)\n      Tests  4 passed (4)\n     Errors  1 error",
    ],
    [
      "vitest with a file that cannot be loaded",
      " Test Files  2 passed (2)\n      Tests  4 passed (4)",
      " FAIL  src/b.test.ts [ src/b.test.ts ]\n      Tests  4 passed (4)",
    ],
    [
      "jest",
      "Test Suites: 2 passed, 2 total\nTests:       1 skipped, 5 passed, 6 total",
      "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 5 passed, 6 total",
    ],
    ["mocha", "  5 passing (20ms)", "  4 passing (20ms)\n  1 failing"],
    ["node --test", "# tests 3\n# pass 3\n# fail 0", "# pass 2\n# fail 1"],
    ["node --test, in a terminal", "ℹ pass 3\nℹ fail 0", "ℹ pass 2\nℹ fail 1"],
    ["pytest", "===== 5 passed, 1 warning in 0.12s =====", "===== 1 failed, 4 passed in 0.12s ====="],
    ["pytest -q", "5 passed in 0.01s", "1 error in 0.05s"],
    ["pytest twice", "5 passed in 0.01s", "5 passed in 0.01s\nERROR: file or directory not found: tests/b"],
    ["bun test", " 5 pass\n 0 fail\nRan 5 tests", " 4 pass\n 1 fail\nRan 5 tests"],
    ["deno test", "ok | 5 passed | 0 failed (10ms)", "FAILED | 4 passed | 1 failed (10ms)"],
    ["unittest", "Ran 3 tests in 0.001s\n\nOK", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)"],
    [
      "go test",
      "?   \tx/cmd\t[no test files]\nok  \tx/cli\t2.1s",
      "ok  \tx/cli\t2.1s\nFAIL\tx/b [build failed]\nFAIL",
    ],
    [
      "go test -v",
      "--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s",
      "    --- FAIL: TestA/b (0.00s)\nok  \tx\t0.1s",
    ],
    [
      "cargo test",
      "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.01s",
      "test result: ok. 3 passed\nerror: test failed, to rerun pass `--lib`",
    ],
    [
      "cargo build",
      "    Finished `dev` profile [unoptimized] target(s) in 3.21s",
      "error: could not compile `app` (lib) due to 1 previous error",
    ],
    ["maven", "[INFO] BUILD SUCCESS", "[INFO] BUILD FAILURE"],
    [
      "maven that ignores failures",
      "[INFO] Tests run: 3, Failures: 0, Errors: 0\n[INFO] BUILD SUCCESS",
      "[ERROR] Tests run: 3, Failures: 0, Errors: 1\n[INFO] BUILD SUCCESS",
    ],
    ["maven -q", "[INFO] BUILD SUCCESS", "[ERROR] Failed to execute goal org.apache.maven"],
    ["prettier", "All matched files use Prettier code style!", "[warn] Code style issues found in 2 files."],
    [
      "gradle that ignores failures",
      "BUILD SUCCESSFUL in 3s",
      "3 tests completed, 1 failed\nBUILD SUCCESSFUL in 3s",
    ],
    ["gradle", "BUILD SUCCESSFUL in 3s", "FAILURE: Build failed with an exception.\nBUILD FAILED in 3s"],
    ["rspec", "3 examples, 0 failures", "3 examples, 1 failure"],
    [
      "rspec, then rubocop",
      "3 examples, 0 failures\n\n9 files inspected, no offenses detected",
      "3 examples, 0 failures\n\n9 files inspected, 1 offense detected",
    ],
    ["phpunit", "OK (3 tests, 5 assertions)", "FAILURES!\nTests: 3, Assertions: 5, Failures: 1."],
    [
      "tsc",
      "Found 0 errors. Watching for file changes.",
      "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
    ],
    ["golangci-lint", "0 issues.", "1 issues:\n* goconst: 1"],
    ["golangci-lint by mise", "[lint:go] 0 issues.", "[lint:go] 2 issues:\n[lint] ERROR task failed"],
    [
      "biome",
      "Checked 12 files in 5ms. No fixes applied.",
      "Checked 12 files in 5ms. No fixes applied.\nFound 2 errors.",
    ],
    [
      "biome --error-on-warnings",
      "Checked 12 files in 5ms. No fixes applied.",
      "Checked 12 files in 5ms. No fixes applied.\nFound 1 warning.\n  × Some warnings were emitted while running checks.",
    ],
    ["ruff", "All checks passed!", "Found 3 errors.\n[*] 1 fixable"],
    [
      "ruff format",
      "All checks passed!\n12 files already formatted",
      "All checks passed!\nWould reformat: a.py\n1 file would be reformatted",
    ],
    [
      "mypy",
      "Success: no issues found in 3 source files",
      "Found 1 error in 1 file (checked 3 source files)",
    ],
    [
      "turbo with colours",
      "web:test: \u001b[32m Test Files  1 passed (1)\u001b[39m\nweb:test: \u001b[32m      Tests  5 passed (5)\u001b[39m",
      "web:test:       Tests  1 failed | 4 passed (5)",
    ],
    [
      "a coverage that is too low",
      " Test Files  2 passed (2)\n      Tests  5 passed (5)",
      " Test Files  2 passed (2)\n      Tests  5 passed (5)\nERROR: Coverage for lines (61%) does not meet global threshold (80%)",
    ],
    ["a task runner", "0 issues.", "0 issues.\nmake: *** [Makefile:3: test] Error 1"],
  ]
  it.each(runners)("%s", (_, passed, failed) => {
    expect([behindTail(passed), behindTail(failed)]).toEqual(["passed", "failed"])
  })

  it("a summary that reports a failure is no proof, even if the exit code is 0", () => {
    const result = (output: string) => judgeChecks("npm test", { exit: 0, output })?.result
    for (const output of ["FAIL\tx\t0.1s", "2 issues:", "Tests:       1 failed, 5 total", "  1 failing"])
      expect([output, result(output)]).toEqual([output, "failed"])
    // These outputs pass: the tested program may log errors, and its own summary may count zero failures.
    for (const output of [
      "error: no such user",
      "panic: recovered",
      "level=error msg=x",
      "Tests: 5 passed, 0 failed",
      "5 passed, 0 failed in 1.2s",
    ])
      expect([output, result(output)]).toEqual([output, "passed"])
  })

  it("a summary that may cover only a part of the run is ignored", () => {
    const SUITES = "of the files that could be loaded"
    const parts: [why: string, output: string, line?: string][] = [
      [SUITES, "      Tests  5 passed (5)"],
      [SUITES, "Tests:       5 passed, 5 total"],
      ["--max-warnings may be set", "✖ 2 problems (0 errors, 2 warnings)"],
      ["a strict configuration may fail", "OK, but there were issues!\nTests: 5, Assertions: 4, Risky: 1."],
      ["another linter failed after it", "Checked 12 files in 5ms.\nUnused exports (2)\nfoo  src/a.ts:3:1"],
      ["the tests have not ended", "    Finished `test` profile target(s) in 3.21s\n     Running unittests"],
      ["killed before the end", "ok  \tx/cli\t2.1s", "timeout 60 go test ./... | tail"],
      ["cut by the host", "ok  \tx/cli\t2.1s\n\n...900 lines truncated...\n", "go test ./... || true"],
      ["a word of the line's own", "Done\nPASS", "npm run build | tail -1 && echo PASS"],
    ]
    for (const [why, output, line] of parts) expect([why, behindTail(output, line)]).toEqual([why, "unknown"])
  })

  it("a script that prints its command and nothing else has passed, if that command is silent then", () => {
    const header = (command: string) => `\n> app@1.0.0 check\n> ${command}\n\n`
    expect(behindTail(header("tsc --noEmit"))).toBe("passed")
    expect(behindTail(header("tsc --noEmit && eslint ."))).toBe("passed")
    for (const command of ["tsc --noEmit && node check.js", "tsc || true", "eslint . -o report.html"])
      expect([command, behindTail(header(command))]).toEqual([command, "unknown"])
  })

  const OK = "ok  \tx/cli\t2.1s\n"
  const filtered: [line: string, output: string, result: string][] = [
    ["go test ./... | head -3", OK, "passed"],
    ["go test ./... | head -3", OK.repeat(3), "unknown"],
    ["go test ./... | head", OK.repeat(10), "unknown"],
    ["go test ./... | grep -E 'ok|FAIL'", OK, "passed"],
    ["go test ./... | grep ok", OK, "unknown"],
    ["go test ./... | grep -v 'no test files'", OK, "passed"],
    ["go test ./... | grep -v FAIL", OK, "unknown"],
    ["go test ./... | tee log", OK, "passed"],
    ["go test ./... | python3 report.py", OK, "unknown"],
    ["go test ./... || true", OK, "passed"],
    ["go test ./... > log; tail -3 log", OK, "passed"],
    ["go test ./... > log; grep ok log", OK, "unknown"],
    ["go test ./... > log; grep -E 'ok|FAIL' log", OK, "passed"],
    ["bundle exec rspec | grep examples", "3 examples, 0 failures", "passed"],
    ["npx tsc --noEmit | head -20", "", "passed"],
    ["go build ./... 2>&1 | tail", "", "passed"],
    ["go build ./... 2>&1 | tail", "# x/cli\na.go:1:2: undefined: y", "failed"],
    ["npx tsc --noEmit > /dev/null | tail", "", "unknown"],
    ["npx tsc --noEmit | grep src/a.ts", "", "unknown"],
    ["go test ./... | grep passed", OK, "unknown"],
    ["npx playwright test | tail -1", "  4 passed (3.1s)", "unknown"],
    ["npx playwright test", "  1 failed\n  4 passed (3.1s)", "failed"],
    ["dotnet test | tail -1", "Passed!  - Failed:     0, Passed:     5", "unknown"],
    ["git commit -m x | tail -1", "[main 1a2b3c4] x\n", "passed"],
    ["git commit -m x", "[main 1a2b3c4] fix\nFAIL", "passed"],
    ["npm run lint && npm test | tail -1", "Done", "passed"],
  ]
  it.each(filtered)("%s, with %j: %s", (line, output, result) =>
    expect(behindTail(output, line)).toBe(result),
  )
})

it("a non-zero exit code is a failure, except of a grep that finds nothing", () => {
  const result = (line: string, exit: number | null) => judgeChecks(line, { exit, output: "" })?.result
  expect(result("npm test", 1)).toBe("failed")
  expect(result("npm ci && npm test | tail", 1)).toBe("failed")
  expect(result("npm test | grep FAIL", 1)).toBe("unknown")
  expect(result("npm test > log; grep FAIL log", 1)).toBe("unknown")
  expect(result("npm test", null)).toBe("unknown")
  expect(result("ls", 1)).toBeUndefined()
})

it("other commands are judged by their exit code if nothing can hide it", () => {
  const ran = { exit: 0, output: "" }
  expect(judgeRun("node check.js && echo ok", ran)).toBe("passed")
  expect(judgeRun("node check.js", { ...ran, exit: 3 })).toBe("failed")
  expect(judgeRun("node check.js | tail", ran)).toBe("unknown")
  expect(judgeRun("node check.js; true", ran)).toBe("unknown")
})
