// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { describe, expect, it } from "vitest"
import { oversize } from "../../../src/gate/call-size.ts"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { isCommitCommand } from "../../../src/shared/commit-command.ts"

const CONTEXT = { project: "/srv/app", home: "/home/me" }
const WORDS = "a b c d e f g h i"
const TOO_MUCH = "is too much to be judged before it runs"
const what = (command: string) => judgeCommand(command, CONTEXT).destructive?.what

describe("what is too much to be judged is refused, so that nothing hides behind it", () => {
  const padded: [string, string][] = [
    ["commands", `${":;".repeat(5000)} rm -rf ~`],
    ["length", `echo ${"x".repeat(30_000)}; rm -rf ~`],
    ["nested shells", `${"eval ".repeat(100)}rm -rf ~`],
    ["loops", `${"for i in a b c d; do ".repeat(8)} rm -rf ~ ${"; done".repeat(8)}`],
    ["a long path", `echo x > ${"./".repeat(2000)}.hivemind/graph/x`],
    ["a long way", `cd ${"./".repeat(2000)}.hivemind && echo x > graph/x`],
    ["a text in a text", `bash <<'EOF'\n${":\n".repeat(20_000)}rm -rf ~\nEOF`],
    ["functions", `${Array.from({ length: 200 }, (_, i) => `f${i}() { rm -rf ~; }`).join(";")}`],
    ["calls", `run() { echo "$@"; "$@"; }\n${"run echo a b c\n".repeat(300)}run rm -rf ~`],
    ["calls of what deletes", `del() { echo "$1"; rm -rf "$1"; }\n${"del /tmp/x/y\n".repeat(300)}del ~`],
    ["variables", `${Array.from({ length: 200 }, (_, i) => `v${i}=x`).join(";")}; D=/etc; rm -rf "$D"`],
  ]
  for (const [name, command] of padded)
    it(name, () => {
      expect(what(command)).toBeDefined()
    })
})

// bench/gate measures that the answer comes soon.
describe("many branches, and long code, are too much to be judged", () => {
  const many = (count: number, piece: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => piece(n)).join("")
  const code = (program: string, text: string) => `${program} <<'EOF'\n${text}EOF`
  const inputs: [string, string][] = [
    ["returns", `f() { ${many(300, (n) => `[ x ] && V${n}=1 && return; `)} }; ${"f; ".repeat(60)}`],
    [
      "loops that are left",
      `while a; do while b; do ${many(300, (n) => `x && V${n}=1 && break; `)} done; done`,
    ],
    ["values and names", `${many(250, (n) => `x && V${n}=a || V${n}=b; `)} rm ${many(200, (n) => `n${n} `)}`],
    ["one or the other", many(480, (n) => `a && B${n}=1 || C${n}=2; `)],
    ["folders", many(480, (n) => `a && B${n}=1 || cd $B${n}; `)],
    ["Python", code("python3", "open('a','w').write('b')\n".repeat(4000))],
    ["Python, shorter", code("python3", "open('a','w').write('b')\n".repeat(2600))],
    ["quotes", code("python3", "open('a','w'); x = '''\n".repeat(20_000))],
    ["JavaScript", code("node", "const a = require('fs'); fs.writeFileSync('x', 'y')\n".repeat(4000))],
    ["code behind comments", code("python3", `${"# pad\n".repeat(11_000)}shutil.rmtree('src')\n`)],
  ]
  it.each(inputs)("%s", (_, command) => {
    expect(what(command)).toBe(TOO_MUCH)
  })
})

// bench/scaling measures that judging takes time in proportion to the length.
describe("rm behind long text is refused", () => {
  const refused = ["deletes everything: /home/me", TOO_MUCH]

  it.each([
    ["blank lines for psql", (count: number) => `psql db <<'EOF'\n${" \n".repeat(count)}EOF`],
    ["line ends for psql", (count: number) => `psql -c '${"\n".repeat(count)}'`],
    ["blanks for ed", (count: number) => `ed -s f <<'EOF'\n${" ".repeat(count)}x\nEOF`],
    ["blanks for vim", (count: number) => `vim -es -c '${" ".repeat(count)}x' f`],
    ["blanks for sed", (count: number) => `sed -i '${" ".repeat(count)}x' f`],
    ["blanks for perl", (count: number) => `perl -e 'open${" ".repeat(count)}x'`],
  ])("%s", (_, command) => {
    expect(what(command(4000))).toBeUndefined()
    expect(what(`${command(4000)}\nrm -rf ~`)).toBe("deletes everything: /home/me")
    expect(refused).toContain(what(`${command(16_000)}\nrm -rf ~`))
  })

  it.each(["${", "$[", "$(("])("%s that never ends", (open) => {
    expect(what(`rm -rf ~; echo ${open.repeat(10)}}`)).toBe("deletes everything: /home/me")
    expect(what(`rm -rf ~; echo ${open.repeat(40_000)}}`)).toBe(TOO_MUCH)
  })
})

it("many file names for one program are judged up to a bound", () => {
  const named = (program: string, count: number) =>
    what(`${program} ${Array.from({ length: count }, (_, n) => `f${n}`).join(" ")} dst/`)
  for (const program of ["mv", "ln -sf", "cp"]) {
    expect(named(program, 200), program).toBeUndefined()
    expect(named(program, 1600), program).toBe("copies, moves or links more than can be looked at")
  }
  expect(named("rm", 100)).toBeUndefined()
  expect(named("rm", 1600)).toBe("deletes or replaces more than can be looked at")
})

it("finds the commit behind a long command that only looks like one", () => {
  const long = "git -c ".repeat(16_000)
  expect(isCommitCommand(long)).toBe(false)
  expect(isCommitCommand(`${long}; git commit -m x`)).toBe(true)
})

it("a call whose paths take long to look at is not looked at", () => {
  const sized = (chars: number, count: number, deletes = 0) => {
    const paths = Array.from({ length: count }, () => "a".repeat(chars))
    return oversize({ paths, deletes: paths.slice(0, deletes) })?.evidence
  }
  expect(sized(100, 1000)).toBeUndefined()
  expect(sized(4000, 2)).toBeUndefined()
  expect(sized(20, 200, 200)).toBeUndefined()
  expect(sized(4000, 120)).toContain("too long for 120 files")
  expect(sized(8000, 1)).toContain("a path of more than")
  expect(sized(20, 1001)).toContain("more than 1000 files")
  expect(sized(20, 900, 900)).toContain("more than 200 deleted files")
})

describe("what people write is not too much", () => {
  const ordinary: [string, string][] = [
    [
      "a file of 200 kB in a here-document",
      `cat > a.ts <<'EOF'\n${"const a = f(b) // it's (\n".repeat(8000)}EOF\necho done`,
    ],
    ["two of them", `cat > a <<'A'\n${"(x\n".repeat(9000)}A\ncat > b <<'B'\n${"y'\n".repeat(9000)}B\n`],
    [
      "a script of some hundred lines",
      'if [ -f "$1" ]; then\n  echo "a" | grep a > /dev/null\nfi\n'.repeat(150),
    ],
    [
      "loops in loops",
      "for a in 1 2 3 4; do for b in 1 2 3 4 5; do for c in x y; do echo $a $b $c; done; done; done",
    ],
    [
      "long lists in each other with much to do",
      `for os in ${WORDS}; do for arch in ${WORDS}; do ${"mkdir -p out/$os-$arch; go build -o out/$os-$arch/app; ".repeat(9)} done; done`,
    ],
    [
      "a function that checks something a hundred times",
      `ok() {\n${'  [ "$1" = x ] || echo "$2"\n'.repeat(9)}}\n${"ok a b\n".repeat(100)}`,
    ],
  ]
  for (const [name, command] of ordinary)
    it(name, () => {
      expect(what(command)).toBeUndefined()
    })

  it("and a here-document that only looks like one hides nothing", () => {
    expect(what(`echo "a\n<<'EOF'\n" ; rm -rf ~ #\n${"x\n".repeat(9)}EOF\n`)).toBeDefined()
  })
})

// bench/scaling measures that judging takes time in proportion to the length.
describe("rm behind the same piece of a command many times is refused", () => {
  const shapes = [
    "cd a;",
    "pushd a;",
    "rm *a*;",
    "mv a b;",
    "ln -s a b;",
    "git -C a ",
    "find . -exec ",
    "eval ",
    "x=$x$x;",
    "{a,b}",
    "$(",
    "echo a | ",
    ">a ",
    "'",
    '"$x" ',
    "a=b ",
    "f() { a; };",
    "open('a','w')",
    "[a-c]*/",
    "a/../",
    "[ a ] && v=b; $v;",
    "if a; then v=b; fi; $v;",
    "while a; do v=$v; done;",
    "a || b;",
    "cd a; cd b || c;",
    "pushd a; popd;",
  ]
  it.each(shapes)("%s", (shape) => {
    for (const chars of [3000, 11_900]) {
      const text = shape.repeat(Math.ceil(chars / shape.length)).slice(0, chars)
      const context = { ...CONTEXT, isFolder: () => false }
      expect(judgeCommand(`${text}\nrm -rf ~`, context).destructive, `${chars}`).not.toBeNull()
    }
  })
})
