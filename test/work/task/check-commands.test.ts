import { describe, expect, it } from "vitest"
import { changesGit, findChecks, runsInBackground } from "../../../src/work/task/check-commands.ts"

describe("which commands are checks", () => {
  const checks: Record<"test" | "build" | "commit", string[]> = {
    test: [
      "npm test",
      "npm run test:unit -- -t 'a || b; c'",
      "mise x -- go test ./...",
      "make -C app test",
      "npx vitest run",
      "node_modules/.bin/jest",
      "node --test",
      "python3 -m pytest -q",
      "uv run pytest -k list",
      "go test -race ./...",
      "cargo nextest run",
      "mvn -B verify test",
      "./gradlew test",
      "bundle exec rspec",
      "php artisan test",
      "timeout 60 npm test",
      "docker compose run --rm app npm test",
      "./scripts/test.sh",
      "bash scripts/run-tests.sh",
      "python manage.py test",
      "bash -lc 'npm test'",
      "(cd app && npm test)",
      "if ! npm test; then echo no; fi",
      "cat > a.txt <<'EOF'\nit's npm run build\nEOF\nnpm test",
    ],
    build: [
      "npm run build",
      "mise run lint",
      "npx tsc --noEmit",
      "golangci-lint run ./...",
      "ruff check src",
      "prettier --check .",
      "go build ./...",
      "cargo clippy",
      "cmake --build build",
      "pre-commit run --all-files",
    ],
    commit: ["git add -A && git commit -m 'fix: exit; early'", 'git -C app commit -m "a | b"'],
  }
  const table = Object.entries(checks).flatMap(([kind, lines]) => lines.map((line) => [kind, line]))
  it.each(table)("%s: %s", (kind, line) => expect(findChecks(line).map((one) => one.kind)).toContain(kind))

  it.each([
    "golangci-lint version",
    "npm test --help",
    "tsc -v",
    "npx playwright install",
    "eslint --print-config a.js",
    "pytest --collect-only",
    "make -n test",
    "npm install vitest",
    "mise run fmt",
    "prettier --write .",
    "go doc testing",
    "go run ./cmd/test",
    "dotnet new test",
    "cmake -B build",
    "node --check test.js",
    "/tmp/my-test enable",
    "echo npm test",
    "grep -r 'npm test' .",
    "cat <<EOF\nnpm test\nEOF",
    "git log --grep commit",
    "git commit --dry-run",
    "mvn test -Dmaven.test.failure.ignore=true",
    "git status",
    `npm test ${"x".repeat(10_000)}`,
  ])("no check: %s", (line) => expect(findChecks(line)).toEqual([]))

  it("a command that a scan has found as a check counts under any name", () => {
    expect(findChecks("mise run ci --all 2>&1", ["mise run ci"])).toMatchObject([{ kind: "build" }])
    expect(findChecks("mise run cigar", ["mise run ci"])).toEqual([])
    expect(findChecks("mise run ci --help", ["mise run ci"])).toEqual([])
  })
})

describe("whose exit is the line's", () => {
  it.each([
    "npm test",
    "npm test 2>&1",
    "npm test > log.txt 2>&1",
    "npm test &> log.txt",
    "cd app && npm test && echo ok",
    "npm ci; npm test",
    "echo y | npm run build",
    "(cd app && npm test)",
    "npm test && git log | head -1",
    "set -o pipefail; npm test | tail -20",
    "set -e\nnpm test\necho done",
    "npm test \\\n  --silent",
    "npm test -- -t 'a | b'",
    "npm test # | tail",
    "bash -c 'cd app && npm test'",
  ])("the check's: %s", (line) => expect(findChecks(line)).toMatchObject([{ isExitHidden: false }]))

  it.each([
    ["npm test | tail -5", "npm test"],
    ["cd app && npm test 2>&1 | head -20", "cd app && npm test 2>&1"],
    ["npm test || true", "npm test"],
    ["npm test; echo done", "npm test"],
    ["npm test\ngit status", "npm test"],
    ["set -e\ncd app\nset +e\nnpm test\necho done", "cd app && npm test"],
    ["source .venv/bin/activate && pytest | tail -3", "source .venv/bin/activate && pytest"],
    ["export CI=1; npm test | tail -3", "export CI=1 && npm test"],
    ["npm test &", "npm test"],
    ["test -f x || npm test", "npm test"],
    ["! npm test", "npm test"],
    ["for a in b; do npm test; done", "npm test"],
    ["(npm ci; npm test) 2>&1 | tee log", "npm test 2>&1"],
    ["rm -rf out && npm test | grep -q ok", "npm test"],
    ["bash -c 'npm test' | tail", "npm test"],
    ["bash -c 'npm test | tail'", "npm test"],
  ])("another's: %s; alone it is: %s", (line, text) =>
    expect(findChecks(line)).toMatchObject([{ isExitHidden: true, text }]),
  )
})

it("a tag, push or merge counts as a git change unless its exit code is hidden; a read-only command does not", () => {
  for (const line of ["git tag v1", "git push", "git -C a merge b && git log | head -1", "git stash push"])
    expect([line, changesGit(line)]).toEqual([line, true])
  for (const line of [
    "git tag",
    "git log",
    "git push || true",
    "git push | tail -1",
    "git push; ls",
    "git branch",
  ])
    expect([line, changesGit(line)]).toEqual([line, false])
})

it("a single & starts a background process, but not in a redirection or in quotes", () => {
  for (const line of ["npm test &", "(npm test &)", "npm test & wait", "setsid npm test"])
    expect([line, runsInBackground(line)]).toEqual([line, true])
  for (const line of ["npm test 2>&1 |& tee log", "npm test &> log", "a && b", "curl 'http://x/?a&b'"])
    expect([line, runsInBackground(line)]).toEqual([line, false])
})
