/** Calls with long and nested input, the same ones in every run: pieces of commands over and over, paths, patches. */
export function longInputs(count) {
  const random = randomFrom(17)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const commands = Array.from({ length: count }, () => {
    const unit = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(PIECES)).join("")
    const size = pick([1_000, 4_000, 12_000, 100_000, 1_000_000])
    return bash(unit.repeat(Math.ceil(size / unit.length)).slice(0, size))
  })
  const files = (number) =>
    Array.from({ length: number }, (_, n) => `*** Add File: src/dir${n % 100}/file${n}.ts\n+x\n`).join("")
  return [
    ...commands,
    ...[2_000, 16_000, 500_000].map((times) => write("a/".repeat(times))),
    ...[1_500, 200_000].map((times) => write(`${"a/../".repeat(times)}.hivemind/x`)),
    write("x".repeat(1_000_000)),
    ...[1_000, 30_000].map((number) => patch(files(number))),
    ...[15, 120].map((number) =>
      patch(
        `*** Add File: ${"a/".repeat(2000)}x\n+x\n`
          .repeat(number)
          .replaceAll("x\n+", () => `${Math.floor(random() * 1e9)}\n+`),
      ),
    ),
    patch(Array.from({ length: 900 }, (_, n) => `*** Delete File: f${n}\n`).join("")),
    patch("\n".repeat(200_000)),
    bash(`echo ${"${".repeat(50_000)}}`),
    bash("$[".repeat(50_000)),
    bash("$((".repeat(30_000)),
    bash("$(".repeat(100_000)),
    bash("echo hello;\n".repeat(100_000)),
    bash(Array.from({ length: 300 }, (_, n) => `f${n}() { f${n + 1}; }`).join("\n")),
    bash(
      `${Array.from({ length: 90 }, (_, n) => `[ x ] && v${n}=a;`).join("")}${"echo $v1 $v2 $v3;".repeat(300)}`,
    ),
    ...manyWays(),
    bash(`cat > a <<'EOF'\nx--ack ${"hivemind inspect ".repeat(6000)}\nEOF`),
    bash(`rm -rf ${Array.from({ length: 400 }, (_, n) => `*/*/*${n}*`).join(" ")}`),
    ...["mv", "ln -sf", "cp"].flatMap((program) => [
      bash(named(program, 1600, "")),
      bash(named(program, 200, "*")),
    ]),
    bash("git -c ".repeat(14_286)),
    bash("if a; then T=x; else T=y; fi; rm $T\n".repeat(250)),
    bash(`cat > a.ts <<'EOF'\n${"const a = f(b) // it's (\n".repeat(15_000)}EOF`),
  ]
}

/** Variables that may have many values, and code of other languages. */
function manyWays() {
  const many = (number, piece) => Array.from({ length: number }, (_, n) => piece(n)).join("")
  const code = (program, text) => bash(`${program} <<'EOF'\n${text}EOF`)
  return [
    bash(`f() { ${many(300, (n) => `[ x ] && V${n}=1 && return; `)} }; ${"f; ".repeat(60)}`),
    bash(`while a; do while b; do ${many(300, (n) => `x && V${n}=1 && break; `)} done; done`),
    bash(`${many(250, (n) => `x && V${n}=a || V${n}=b; `)} rm ${many(200, (n) => `n${n} `)}`),
    bash(many(480, (n) => `a && B${n}=1 || C${n}=2; `)),
    bash(many(480, (n) => `a && B${n}=1 || cd $B${n}; `)),
    code("python3", "open('a','w').write('b')\n".repeat(4000)),
    code("python3", "open('a','w').write('b')\n".repeat(2600)),
    code("python3", "open('a','w'); x = '''\n".repeat(20_000)),
    code("node", "const a = require('fs'); fs.writeFileSync('x', 'y')\n".repeat(4000)),
    code("python3", `${"# pad\n".repeat(11_000)}shutil.rmtree('src')\n`),
  ]
}

/** Many files by one call. */
const named = (program, count, sign) =>
  `${program} ${Array.from({ length: count }, (_, n) => `f${n}${sign}`).join(" ")} dst/`
const bash = (command) => ({ tool: "bash", args: { command } })
const write = (filePath) => ({ tool: "write", args: { filePath, content: "x" } })
const patch = (patchText) => ({ tool: "apply_patch", args: { patchText } })

/** The same numbers from the same seed. */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const PIECES = [
  ..."{}()$`'\"\\<>|&;#!*?[]=~,/-+% \n\tax1",
  ...[
    "<<a\n",
    "$(",
    "${",
    "$((",
    "<(",
    "rm -rf ",
    "sh -c ",
    "eval ",
    "for i in a b; do ",
    "if ",
    "case x in ",
  ],
  ...["f() ", "xargs ", "find . -exec ", "sudo ", "x=$x$x;", "{a,b}", "git -C a ", "mv a b;", "ln -s a b;"],
  ...["cd a;", "pushd a;", "a=b ", "$x ", "find . -name '*.json' | ", "rm *a*;", "env ", "python -c '"],
  ...["open('a','w')", "rmtree(", "2>&1 ", ">a ", "echo a | ", "git checkout ", "git commit --amend;"],
]
