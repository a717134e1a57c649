// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { type Kind, UNKNOWN_PATH } from "../../../src/gate/shell/judgement.ts"

const CONTEXT = { project: "/srv/app", home: "/home/me" }

describe("what a command writes", () => {
  const table: [string, string[]][] = [
    ["ls -la > out.txt", ["out.txt"]],
    ["ls >> out.txt 2>&1", ["out.txt"]],
    ["ls 2> err.txt", ["err.txt"]],
    ["ls &> all.txt", ["all.txt"]],
    ["ls >| forced.txt", ["forced.txt"]],
    ["ls > /dev/null 2>&1", []],
    ["ls > /dev/stderr", []],
    ["ls 3>&1 1>&2 2>&3", []],
    ["> empty.txt", ["empty.txt"]],
    ["{ ls; pwd; } > both.txt", ["both.txt"]],
    ["for i in 1 2; do echo $i; done > loop.txt", ["loop.txt"]],
    ["for i in a b; do touch $i.ts; done", ["a.ts", "b.ts"]],
    ["cat > src/a.ts <<'EOF'\nconst a = 1 > 0\nEOF", ["src/a.ts"]],
    ["cat <<EOF | tee a.md b.md >/dev/null\nhi\nEOF", ["a.md", "b.md"]],
    ["echo x | sudo tee -a /etc/hosts", ["/etc/hosts"]],
    ["sed -i 's/a/b/' src/a.ts src/b.ts", ["src/a.ts", "src/b.ts"]],
    ["sed -i '' -e 's/a/b/' a.ts", ["a.ts"]],
    ["sed -i.bak -E 's/a/b/' a.ts", ["a.ts"]],
    ["sed --in-place=.bak 's/a/b/' a.ts", ["a.ts"]],
    ["sed -n '/a/p' a.ts", []],
    ["perl -pi -e 's/a/b/' a.ts", ["a.ts"]],
    ["perl -i.bak -pe 's/a/b/' a.ts", ["a.ts"]],
    ["awk '{ print > \"out.txt\" }' in.txt", ["out.txt"]],
    ["gawk -i inplace '{ print }' a.txt", ["a.txt"]],
    ["cp a.ts b.ts", ["b.ts"]],
    ["cp -r a b src/", ["src/a", "src/b"]],
    ["cp -t src a b", ["src/a", "src/b"]],
    ["mv a.ts src/", ["a.ts", "src/a.ts"]],
    ["mv a.ts ../b.ts", ["a.ts", "/srv/b.ts"]],
    ["install -m 755 a /usr/local/bin/a", ["/usr/local/bin/a"]],
    ["install -d a/b", ["a/b"]],
    ["ln -s ../x link", ["link"]],
    ["touch a.ts b.ts", ["a.ts", "b.ts"]],
    ["mkdir -p a/b/c", ["a/b/c"]],
    ["rm a.ts", ["a.ts"]],
    ["rmdir old", ["old"]],
    ["unlink a.ts", ["a.ts"]],
    ["truncate -s 10 a.log", ["a.log"]],
    ["dd if=/dev/zero of=a.img bs=1k", ["a.img"]],
    ["patch -p1 < x.patch", [UNKNOWN_PATH]],
    ["patch -p1 <<'EOF'\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\nEOF", ["src/a.ts"]],
    ["git apply x.patch", [UNKNOWN_PATH]],
    ["git apply <<'EOF'\n--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+b\nEOF", ["src/new.ts"]],
    ["git apply --check x.patch", []],
    ["git checkout main", [UNKNOWN_PATH]],
    ["git checkout -b feature", []],
    ["git checkout -- src/a.ts", ["src/a.ts"]],
    ["git restore src/a.ts", ["src/a.ts"]],
    ["git stash pop", [UNKNOWN_PATH]],
    ["git merge main", [UNKNOWN_PATH]],
    ["git pull", [UNKNOWN_PATH]],
    ["git clone https://x.io/a/b.git", ["b"]],
    ["git mv a.ts b.ts", ["a.ts", "b.ts"]],
    ["git add -A && git commit -m 'x > y'", []],
    ["tar xzf a.tgz -C vendor", ["vendor"]],
    ["tar -xf a.tar", ["."]],
    ["tar tf a.tar", []],
    ["unzip a.zip -d out", ["out"]],
    ["unzip -l a.zip", []],
    ["curl -o a.zip https://x.io/b.zip", ["a.zip"]],
    ["curl -sSLO https://x.io/b.zip", ["b.zip"]],
    ["curl -s https://x.io", []],
    ["wget -q https://x.io/b.zip?x=1", ["b.zip"]],
    ["wget -qO- https://x.io", []],
    ["npm install", ["package.json", "package-lock.json"]],
    ["npm i -D vitest", ["package.json", "package-lock.json"]],
    ["npm --prefix web i", ["web/package.json", "web/package-lock.json"]],
    ["npm install -g x", []],
    ["yarn", ["package.json", "yarn.lock"]],
    ["pnpm add x", ["package.json", "pnpm-lock.yaml"]],
    ["bun add x", ["package.json", "bun.lock"]],
    ["cargo add serde", ["Cargo.toml", "Cargo.lock"]],
    ["poetry add x", ["pyproject.toml", "poetry.lock"]],
    ["npx prettier --write src", ["src"]],
    ["prettier --check src", []],
    ["eslint --fix .", ["."]],
    ["eslint .", []],
    ["npx @biomejs/biome check --write src test", ["src", "test"]],
    ["biome check --write", ["."]],
    ["gofmt -w a.go", ["a.go"]],
    ["black .", ["."]],
    ["black --check .", []],
    ["python3 -c \"open('src/a.ts', 'w').write('x')\"", ["src/a.ts"]],
    ["python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.txt').write_text('x')\nEOF", ["a.txt"]],
    ["node -e \"require('fs').writeFileSync('a.json', '{}')\"", ["a.json"]],
    ["find . -name '*.ts' -exec sed -i 's/a/b/' {} +", ["*.ts"]],
    ["grep -rl foo src | xargs sed -i 's/a/b/'", [UNKNOWN_PATH]],
    ['echo x > "$OUT"', [UNKNOWN_PATH]],
    ['cd "$DIR" && touch a', [UNKNOWN_PATH]],
    ["cd src && touch a.ts && cd .. && touch b.ts", ["src/a.ts", "b.ts"]],
    ["(cd src && touch a.ts); touch b.ts", ["src/a.ts", "b.ts"]],
    ["bash -c 'cd src; touch a.ts'; touch b.ts", ["src/a.ts", "b.ts"]],
    ["OUT=dist/x.js; echo 1 > $OUT", ["dist/x.js"]],
    ["touch src/{a,b}.ts", ["src/a.ts", "src/b.ts"]],
    ["touch ~/notes.md", ["/home/me/notes.md"]],
    ["touch /srv/app/a.ts", ["a.ts"]],
    ["ssh host 'touch /etc/x'", []],
    ["docker exec web touch /etc/x", []],
    ["node scripts/build.mjs", []],
    ["make", []],
    ["echo 'a > b.txt'", []],
    ["grep -c '>' a.txt", []],
    ["[ 1 -gt 0 ] && [[ a > b ]]", []],
    ["echo $((2 > 1))", []],
  ]
  for (const [command, writes] of table)
    it(command, () => {
      expect([...judgeCommand(command, CONTEXT).writes].sort()).toEqual([...writes].sort())
    })
})

describe("touches HiveMind's own files", () => {
  const touching = [
    "echo x > .hivemind/a.json",
    "echo x >> ./.hivemind/journal/a.jsonl",
    "sed -i 's/a/b/' .hivemind/brain.json",
    "rm .hivemind/a.json",
    "rm -rf .hivemind",
    "rm -rf .hive*",
    "rm -rf .*",
    "rm -rf .",
    "rm -rf /",
    "mv .hivemind ../x",
    "mv ../app ../x",
    "cp a.json .hivemind/",
    "cp a.json /srv/app/.hivemind/a.json",
    "cd .hivemind && touch x",
    "tee .hivemind/a < b",
    "bash -c 'echo x > .hivemind/a'",
    "X=.hivemind; rm -r $X",
    "find .hivemind -type f -delete",
    "git checkout -- .hivemind/brain.json",
    "python3 -c \"open('.hivemind/a', 'w')\"",
    "node -e \"fs.rmSync('.hivemind', { recursive: true })\"",
    "tar xf a.tar -C .hivemind",
    "truncate -s 0 .hivemind/a",
    "ln -sf x .hivemind/a",
  ]
  for (const command of touching)
    it(command, () => {
      const judgement = judgeCommand(command, CONTEXT)
      expect(judgement.touchesHive).toBe(true)
      expect(judgement.destructive).not.toBeNull()
    })

  const reading = [
    "cat .hivemind/brain.json",
    "ls -R .hivemind",
    "grep -r x .hivemind",
    "cp .hivemind/brain.json /tmp/copy.json",
    "git add .hivemind",
    "jq . .hivemind/brain.json > out.json",
    "rm -rf dist/*",
    "hivemind doctor",
    "ssh host 'echo x > .hivemind/a'",
  ]
  for (const command of reading)
    it(`not with: ${command}`, () => {
      expect(judgeCommand(command, CONTEXT).touchesHive).toBe(false)
    })
})

describe("what a command is about", () => {
  const table: Record<Kind, string[]> = {
    test: [
      "npm test",
      "npm t",
      "npm run test:unit -- --watch=false",
      "yarn test",
      "pnpm -r test",
      "bun test",
      "npx vitest run",
      "npx jest src",
      "node --test",
      "cd web && npm test 2>&1 | tail -20",
      "NODE_ENV=test npx mocha",
      "python -m pytest -x",
      "pytest",
      "cargo test",
      "go test ./...",
      "make test",
      "./gradlew test",
      "mvn -q test",
      "dotnet test",
      "bundle exec rspec",
      "npm run build && npm test",
      "docker compose run web npm test",
    ],
    build: [
      "npm run build",
      "yarn build",
      "npx tsc --noEmit",
      "tsc -p .",
      "make",
      "cargo build --release",
      "cargo clippy",
      "go build ./...",
      "npx eslint .",
      "npm run lint",
      "npm run typecheck",
      "npx biome check .",
      "vite build",
      "next build",
      "docker build .",
      "gcc -o a a.c",
    ],
    git: [
      "git commit -m x",
      "git add .",
      "git push",
      "git checkout main",
      "git add -A && git commit -m x && git push",
    ],
    write: [
      "touch a",
      "echo x > a",
      "rm a",
      "npm install",
      "mkdir a",
      "prettier --write .",
      "cat a > b",
      "sudo tee a",
    ],
    read: [
      "ls",
      "cat a | grep b | sort | head -5",
      "git status",
      "git log -5 && git diff",
      "git branch",
      "git remote -v",
      "find . -name '*.ts'",
      "cd src && ls",
      "sed -n 1,5p a.ts",
      "awk '{ print $1 }' a",
      "echo hi",
      "for f in *.ts; do wc -l $f; done",
      "[ -f a ] && cat a",
      "which node",
      "npm ls",
      "sudo ls /root",
      "bash -c 'ls -la'",
      "docker ps",
    ],
    other: [
      "node a.js",
      "curl https://x.io",
      "npm run dev",
      "npm publish",
      "./run.sh",
      "foo",
      "$X",
      "make clean",
      "",
    ],
  }
  for (const [kind, commands] of Object.entries(table))
    for (const command of commands)
      it(`${kind}: ${command}`, () => {
        expect(judgeCommand(command, CONTEXT).kind).toBe(kind)
      })
})

describe("what cannot be seen is said", () => {
  const table: [string, string][] = [
    ["node scripts/build.mjs", "what scripts/build.mjs does"],
    ["./run.sh --all", "what ./run.sh does"],
    ["bash deploy.sh", "what deploy.sh does"],
    ["npm run release", 'what the script "release" does'],
    ["make install", "what make install does"],
    ['eval "$CMD"', "a command whose name is not known: …"],
    ["$CMD --force", "a command whose name is not known: … --force"],
    ["python3 -c 'print(1)'", "what the python code does"],
    ["psql -f a.sql", "the SQL in a.sql"],
    ["mysql app < dump.sql", "the SQL that is piped in"],
    ["cat a.sh | bash", "text that a shell reads from a pipe or a file"],
    ["ssh host uptime", "what happens on the other machine: uptime"],
    ["docker exec web ls", "what happens in the container: ls"],
  ]
  for (const [command, unseen] of table)
    it(command, () => {
      expect(judgeCommand(command, CONTEXT).unknown).toEqual([unseen])
    })

  it("and nothing is said of what is plain", () => {
    for (const command of ["ls -la", "git push", "rm -rf dist", "echo x > a", "npm install"])
      expect(judgeCommand(command, CONTEXT).unknown).toEqual([])
  })
})
