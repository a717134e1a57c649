import { describe, expect, it } from "vitest"
import { readCommand } from "../../../src/gate/shell/read-command.ts"

const read = (command: string) => readCommand(command, { project: "/srv/app", home: "/home/me" })

it.each([
  ["ls -la && cat a.ts | head -5", "read"],
  ["git status && git diff | grep x", "read"],
  ["cd src && rg foo", "read"],
  ["find . -name '*.ts' | xargs grep foo", "read"],
  ["sed -n 1,20p a.ts", "read"],
  ["npm ls --depth=0", "read"],
  ["docker ps", "read"],
  ["sudo cat /etc/hosts", "read"],
  ["echo $(git rev-parse HEAD)", "read"],
  ["npm test", "test"],
  ["npm run test:unit -- a", "test"],
  ["npx vitest run src 2>&1 | tail -5", "test"],
  ["bash -c 'cargo test'", "test"],
  ["poetry run pytest -q", "test"],
  ["python -m pytest", "test"],
  ["go test ./...", "test"],
  ["npm run build", "build"],
  ["npx tsc --noEmit", "build"],
  ["make", "build"],
  ["npx prettier --check .", "build"],
  ["git commit -m x", "git"],
  ["git push", "git"],
  ["echo x > a.ts", "write"],
  ["sed -i s/a/b/ a.ts", "write"],
  ["find . -name '*.js' -delete", "write"],
  ["npm install", "write"],
  ["node scripts/x.mjs", "other"],
  ["python3 -c 'print(1)'", "other"],
  ["echo $(./x.sh)", "other"],
  ["if then", "write"],
])("%s is of kind %s", (command, kind) => {
  expect(read(command).kind).toBe(kind)
})

describe("the files that a command writes", () => {
  it.each<[string, string[]]>([
    ["echo x > a.ts", ["a.ts"]],
    ["echo x >> /srv/app/src/a.ts", ["src/a.ts"]],
    ["{ echo a; echo b; } > out.txt", ["out.txt"]],
    ["cmd 2>&1 > /dev/null", []],
    ["cat <<'EOF' > a.ts\nrm -rf /\nEOF", ["a.ts"]],
    ["cat a | tee b c", ["b", "c"]],
    ["cp a.ts src/b.ts", ["src/b.ts"]],
    ["cp a.ts b.ts lib/", ["lib/a.ts", "lib/b.ts"]],
    ["mv a.ts b.ts", ["a.ts", "b.ts"]],
    ["rm -rf src lib/*.js", ["src", "lib/*.js"]],
    ["sed -i 's/a/b/' a.ts b.ts", ["a.ts", "b.ts"]],
    ["sed -i -e s/a/b/ a.ts", ["a.ts"]],
    ["sed -i '' s/a/b/ a.ts", ["a.ts"]],
    ["perl -pi -e s/a/b/ a.ts", ["a.ts"]],
    ["touch a && mkdir -p b/c", ["a", "b/c"]],
    ["cd src && echo x > a.ts", ["src/a.ts"]],
    ["(cd src && touch a); touch b", ["src/a", "b"]],
    ["cd /etc && touch a", ["/etc/a"]],
    ["touch ~/a", ["/home/me/a"]],
    ["F=a.ts; echo x > $F", ["a.ts"]],
    ["for f in a b; do touch $f.ts; done", ["a.ts", "b.ts"]],
    ["touch {a,b}.ts", ["a.ts", "b.ts"]],
    ['echo x > "$OUT"', ["?"]],
    ["find src -name '*.ts' -exec sed -i s/a/b/ {} +", ["src/**/*.ts"]],
    ["find src -name '*.ts' | xargs sed -i s/a/b/", ["src/**/*.ts"]],
    ["git checkout -- src/a.ts", ["src/a.ts"]],
    ["git merge main", ["?"]],
    ["git mv a b", ["a", "b"]],
    ["npm install left-pad", ["package.json", "package-lock.json"]],
    ["npm install -g x", []],
    ["cargo add serde", ["Cargo.toml", "Cargo.lock"]],
    ["npx prettier --write src/a.ts", ["src/a.ts"]],
    ["eslint --fix .", ["."]],
    ["curl -o a.json https://x.io", ["a.json"]],
    ["tar xf a.tar -C lib", ["lib"]],
    ["dd if=a of=b.img", ["b.img"]],
    ["ssh host 'echo x > a'", []],
    ["docker exec web touch a", []],
    ["cat a.ts", []],
  ])("%s", (command, writes) => {
    expect(read(command).writes).toEqual(writes)
  })
})

it("reads any text in bounded work, and never throws", () => {
  for (const text of [
    "$(".repeat(20_000),
    "a;".repeat(30_000),
    "'",
    "find . -exec ".repeat(800),
    `echo ${"{a,b}".repeat(500)}`,
  ])
    expect(read(text).kind).toBeDefined()
  const file = `cat > a.ts <<'EOF'\n${"const a = f({ b: [1] }) // git push -f\n".repeat(5000)}EOF`
  expect(read(file)).toMatchObject({ kind: "write", writes: ["a.ts"], findings: [] })
})

it("a program that reads, but is told to write or to run a command, does not count as reading", () => {
  const kindOf = (command: string) => readCommand(command, { project: "/srv/app" }).kind
  for (const command of [
    "fd -e log -x rm",
    "fd notes --exec-batch rm -f",
    "sort -o LICENSE LICENSE",
    "shuf --output=names names",
    "uniq names unique",
    "xxd -r dump image",
    "python3 -m json.tool in.json out.json",
    "rg --pre ./convert.sh x",
    "gawk -i inplace '{ print $1 }' names",
    "awk -f change.awk names",
    "npm audit fix --force",
    "pnpm audit --fix",
    "go get example.com/x@latest",
    "git branch -v -D topic",
    "git branch -vD topic",
    "git branch -a --delete topic",
  ])
    expect(kindOf(command), command).not.toBe("read")
  for (const command of [
    "fd -e ts src",
    "sort -u names | uniq -c",
    "rg -n pattern src",
    "xxd image | head",
    "tree -L 2",
    "awk -F: '{ print $1 }' names",
    "npm audit",
    "npm get registry",
    "git branch -vv",
    "git branch -a --sort=-committerdate",
    "git branch --contains abc",
  ])
    expect(kindOf(command), command).toBe("read")
})
