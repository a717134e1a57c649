import { expect, it } from "vitest"
import { runsInBackground } from "../../../src/work/task/in-background.ts"

it.each([
  "npm test &",
  "npm test & wait",
  "(npm test &)",
  "f() { x & }; f",
  "for i in a; do x & done; wait",
  "echo $(npm test &)",
  'cat <<E\n"$(x &)"\nE',
  "coproc npm test",
  "nice -n 5 setsid x",
  "sudo -u me bash -c 'x &'",
  "sh -c \"sh -c 'x &'\"",
  "ls | xargs sh -c 'x &'",
  "find . -exec sh -c 'x &' \\;",
  "echo 'npm test &' | sh",
  "sh <<< 'npm test &'",
  "bash <<'EOF'\nnpm test &\nEOF",
  "trap 'x &' EXIT; npm test",
  "X='npm test &'; eval \"$X\"",
  "sudo -b npm test",
  "ssh -f host npm test",
  "screen -dm npm test",
  "tmux new -d 'npm test'",
  "systemd-run npm test",
])("leaves something running: %s", (command) => expect(runsInBackground(command)).toBe(true))

it.each([
  "npm test &> log",
  "npm test 2>&1 |& tee log",
  "npm test && npm run lint",
  "sudo npm test",
  "ssh host npm test",
  "npm test -- 'a & b'",
  "curl 'http://x/?a=1&b=2'",
  "bash test.sh && curl 'http://x/?a=1&b=2'",
  "sh -c 'npm test && npm run lint 2>&1'",
  "trap 'rm -f x && exit' EXIT; npm test",
  "[[ a && b ]] && (( a & b ))",
])("does not: %s", (command) => expect(runsInBackground(command)).toBe(false))
