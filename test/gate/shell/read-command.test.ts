import { expect, it } from "vitest"
import { readCommand } from "../../../src/gate/shell/read-command.ts"

const read = (command: string) => readCommand(command, { project: "/srv/app", home: "/home/me" })

it.each([
  ["ls -la && cat a.ts | head -5", "read"],
  ["find . -name '*.ts' | xargs grep foo", "read"],
  ["sed -n 1,20p a.ts", "read"],
  ["docker ps", "read"],
  ["sudo cat /etc/hosts", "read"],
  ["echo $(git rev-parse HEAD)", "read"],
  ["npm test", "test"],
  ["npx vitest run src 2>&1 | tail -5", "test"],
  ["poetry run pytest -q", "test"],
  ["python -m pytest", "test"],
  ["make", "build"],
  ["npx prettier --check .", "build"],
  ["git commit -m x", "git"],
  ["sed -i s/a/b/ a.ts", "write"],
  ["find . -name '*.js' -delete", "write"],
  ["npm install", "write"],
  ["node scripts/x.mjs", "other"],
  ["echo $(./x.sh)", "other"],
  ["if then", "write"],
])("%s is of kind %s", (command, kind) => {
  expect(read(command).kind).toBe(kind)
})

it.each<[string, string[]]>([
  ["echo x > a.ts", ["a.ts"]],
  ["echo x >> /srv/app/src/a.ts", ["src/a.ts"]],
  ["cmd 2>&1 > /dev/null", []],
  ["cat <<'EOF' > a.ts\nrm -rf /\nEOF", ["a.ts"]],
  ["cat a | tee b c", ["b", "c"]],
  ["cp a.ts src/b.ts", ["src/b.ts"]],
  ["cp a.ts b.ts lib/", ["lib/a.ts", "lib/b.ts"]],
  ["mv a.ts b.ts", ["a.ts", "b.ts"]],
  ["rm -rf src lib/*.js", ["src", "lib/*.js"]],
  ["sed -i 's/a/b/' a.ts b.ts", ["a.ts", "b.ts"]],
  ["perl -pi -e s/a/b/ a.ts", ["a.ts"]],
  ["touch a && mkdir -p b/c", ["a", "b/c"]],
  ["(cd src && touch a); touch b", ["src/a", "b"]],
  ["cd /etc && touch a", ["/etc/a"]],
  ["for f in a b; do touch $f.ts; done", ["a.ts", "b.ts"]],
  ["touch {a,b}.ts", ["a.ts", "b.ts"]],
  ['echo x > "$OUT"', ["?"]],
  ["find src -name '*.ts' | xargs sed -i s/a/b/", ["src/**/*.ts"]],
  ["git checkout -- src/a.ts", ["src/a.ts"]],
  ["git merge main", ["?"]],
  ["git mv a b", ["a", "b"]],
  ["npm install left-pad", ["package.json", "package-lock.json"]],
  ["npx prettier --write src/a.ts", ["src/a.ts"]],
  ["curl -o a.json https://x.io", ["a.json"]],
  ["tar xf a.tar -C lib", ["lib"]],
  ["ssh host 'echo x > a'", []],
  ["cat a.ts", []],
])("the files that a command writes: %s", (command, writes) => {
  expect(read(command).writes).toEqual(writes)
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
    "sort -o LICENSE LICENSE",
    "uniq names unique",
    "xxd -r dump image",
    "python3 -m json.tool in.json out.json",
    "rg --pre ./convert.sh x",
    "gawk -i inplace '{ print $1 }' names",
    "awk -f change.awk names",
    "npm audit fix --force",
    "go get example.com/x@latest",
    "git branch -v -D topic",
    "git branch -a --delete topic",
  ])
    expect(kindOf(command), command).not.toBe("read")
  for (const command of [
    "fd -e ts src",
    "sort -u names | uniq -c",
    "xxd image | head",
    "tree -L 2",
    "awk -F: '{ print $1 }' names",
    "npm audit",
    "git branch -a --sort=-committerdate",
    "git branch --contains abc",
  ])
    expect(kindOf(command), command).toBe("read")
})
