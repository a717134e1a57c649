import { expect, it } from "vitest"
import { simpleCommands } from "../../../src/gate/shell/simple-commands.ts"

const texts = (line: string) => simpleCommands(line).map(({ text }) => text)

it.each([
  ["npm test", ["npm test"]],
  ["npm test 2>&1 | tail -5", ["npm test 2>&1", "tail -5"]],
  ["cd a && rm -rf b; ls", ["cd a", "rm -rf b", "ls"]],
  ["CI=1 npm test", ["CI=1 npm test"]],
  ["if true; then rm x; fi", ["true", "rm x"]],
  ["for f in $(git ls-files); do rm $f; done", ["git ls-files", "rm $f"]],
  ["f() { rm x; }; f", ["rm x", "f"]],
  ["(rm x) & { rm y; }", ["rm x", "rm y"]],
  ["A=$(rm x)", ["rm x"]],
  ["diff <(rm x) <(sort y)", ["diff <(rm x) <(sort y)", "rm x", "sort y"]],
  ['echo "$(rm x) `rm y`"', ['echo "$(rm x) `rm y`"', "rm x", "rm y"]],
  ["cat <<E\n$(rm x)\nE", ["cat <<E", "rm x"]],
])("%s", (line, commands) => {
  expect(texts(line)).toEqual(commands)
})

it("what cannot be parsed is cut at every place where a command may begin", () => {
  for (const line of ["if true; rm -rf x", "echo 'a; rm -rf x", `${"(".repeat(100)}; rm -rf x`])
    expect(texts(line)).toContain("rm -rf x")
})

it("the words of a command are without assignments and redirections", () => {
  expect(simpleCommands("CI=1 npm run 'a b' > log")).toMatchObject([{ words: ["npm", "run", "a b"] }])
})
