import { expect, it } from "vitest"
import { hasTellingExit } from "../../../src/work/task/telling-exit.ts"

const telling = [
  "npm test",
  "npm test 2>&1",
  "npm test > log.txt 2>&1",
  "npm test &> log.txt",
  "CI=1 npm test",
  "cd app && npm test",
  "cd app; npm test",
  "npm ci && npm test && echo ok",
  'npm test -- -t "a || b; c"',
  "npm test || exit 1",
  "(cd app && npm test)",
  "set -o pipefail; npm test 2>&1 | tail -20",
  "set -euo pipefail\nnpm test | tee log",
  "yes | npm run build",
  "npm test && npm run lint;",
  "npm test \\\n  --silent",
  "timeout 60 npm test",
  "git commit -m 'a; true'",
]
it.each(telling)("tells: %s", (command) => expect(hasTellingExit(command)).toBe(true))

const silent = [
  "npm test || true",
  "npm test || echo failed",
  "npm test; true",
  "npm test; echo $?",
  "npm test\necho done",
  "npm test 2>&1 | tail -20",
  "npm test |& tee log",
  "npm test &",
  "npm test & sleep 5",
  "! npm test",
  "if npm test; then echo ok; fi",
  "npm test || true && echo ok",
  "npm test; exit 0",
  "true",
]
it.each(silent)("tells nothing: %s", (command) => expect(hasTellingExit(command)).toBe(false))
