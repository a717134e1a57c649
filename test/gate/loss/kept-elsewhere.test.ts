import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "vitest"
import { gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

it("what was moved is lost with the place it is at by then, by a pattern too", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "mv notes.md notes.bak; rm -f *.bak",
    "mv notes.md x.log && find . -name '*.log' -delete",
    "mv experiments build; rm -rf b*",
    "mv notes.md x.log; git clean -fdX",
    "mv notes.md x.log && git clean -fdx",
    "mv notes.md n2 && : > n2",
    "mv notes.md n2 && mv n2 n3 && rm n3",
    "mv notes.md n2; mv a.t* n2",
    "cp notes.md n2 && rm notes.md && cp a.t* n2",
    "mv n*s.md all.txt && mv a.t* all.txt",
    "mv *.md /tmp/not-there-yet; mv docs/*.md /tmp/not-there-yet",
    'for f in *.md; do mv "$f" /tmp/not-there-yet; done',
    'mv notes.md x.txt; for f in *.t*; do mv "$f" "x.txt"; done',
    "mv notes.md docs && rm docs/notes.md",
    "mv notes.md $OUT; rm -f *",
    "gzip notes.md; rm *.gz",
    "mv notes.md /tmp/n-kept; rm -f /tmp/n-k*",
    "mv experiments build; find . -name build -exec rm -rf {} +",
  ])
  await expectPassed(refused, [
    "mv notes.md docs && mv experiments docs",
    "mv notes.md notes.bak && npm test && mv notes.bak notes.md",
    "mv notes.md docs && rm -f *.bak",
    "mv a.txt b.bak && rm -f *.bak",
    'for f in *.md; do mv "$f" docs/; done',
    'for f in *.md; do mv "$f" "docs/$f"; done',
    `for f in *.md; do mv "$f" "\${f%.md}.rst"; done`,
    'for f in *.md; do mv -- "$f" "old-$f"; done',
    'mkdir -p lib2 && for f in *.md; do mv "$f" lib2; done',
    "mkdir all && mv *.md all && mv docs/*.md all",
    `for v in ${"1 2 3 4 5 6 7 8 9 10 ".repeat(6)}; do mkdir t && cp -r docs/* t/ && mv t v$v; done`,
  ])
})

it("a copy that something was deleted for is not destroyed afterwards", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "cp notes.md n2 && rm notes.md && : > n2",
    "cp notes.md n2 && rm notes.md && mv a.txt n2",
    "cp notes.md n2 && rm notes.md && rm n*",
    "cp notes.md a.txt && rm notes.md && git checkout a.txt",
    "cp notes.md a.txt && rm notes.md && git restore a.txt",
    "cp notes.md a.txt && rm notes.md && git reset --hard",
    "cp notes.md n2 && rm notes.md && git clean -fd",
    "tar cf x.tar notes.md && rm notes.md; : > x.tar",
    "tar cf x.tar notes.md && rm notes.md && rm x.tar",
    "git diff b.txt > p && git checkout b.txt && rm p",
    "git diff b.txt > p && git checkout b.txt && git apply p; rm p",
    "git diff b.txt > p && git checkout b.txt && git apply --check p && rm p",
    "cp b.txt b.bak && git checkout b.txt && rm b.bak",
    "cp notes.md n.bak && cp a.txt notes.md && rm n.bak",
    "cp notes.md n.bak && mv a.txt notes.md && rm n.bak",
    "cp notes.md n.bak && echo x > notes.md && rm n.bak",
    "cp notes.md n.bak && echo x | tee notes.md && rm n.bak",
    "cp notes.md n.bak && cat > notes.md <<'E' && rm n.bak\nnew\nE",
    "cp b.txt b.bak && git show HEAD:b.txt > b.txt && rm b.bak",
    "cp notes.md n.bak && curl -o notes.md https://x.io/n.md && rm n.bak",
  ])
  await expectPassed(refused, [
    "cp notes.md n.bak && sed s/a/b/ n.bak > notes.md && rm n.bak",
    "cp notes.md n.bak && sed -i s/a/b/ notes.md && rm n.bak",
    "cp notes.md n.bak && grep -v x n.bak | tee notes.md && rm n.bak",
    "cp notes.md n.bak && pandoc n.bak -o notes.md && rm n.bak",
    "cp notes.md n.bak && jq . n.bak > n.new && mv n.new notes.md && rm n.bak",
    "cp notes.md n.bak && echo x > notes.md && mv n.bak notes.md",
    "cp notes.md n.bak && cp notes.md n.two && echo x > notes.md && rm n.bak",
    "cp notes.md n.bak && echo x > notes.md",
    "cp notes.md n2 && rm notes.md && mv n2 notes.md",
    "cp notes.md n2 && rm notes.md && cp n2 notes.md && rm n2",
    "git diff b.txt > p && git checkout b.txt && git apply p && rm p",
    "cp b.txt b.bak && git checkout b.txt && npm test && mv b.bak b.txt",
  ])
})

it("a new text that has nothing of the old one is no edit, wherever it was written first", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "echo x > /tmp/k-notes.md && mv /tmp/k-notes.md notes.md",
    "mkdir -p /tmp/k && echo x > /tmp/k/notes.md && mv /tmp/k/notes.md notes.md",
    "echo x > /tmp/k/notes.md && cp /tmp/k/notes.md notes.md",
    "cat > /tmp/k/notes.md <<'E' && mv /tmp/k/notes.md notes.md\nnew\nE",
    "set -e; echo x > /tmp/k/notes.md; cp /tmp/k/notes.md notes.md",
    "sed s/a/b/ a.txt > docs/notes.md && mv docs/notes.md notes.md",
    "echo x | tee /tmp/k/notes.md && cp /tmp/k/notes.md notes.md",
    "git show HEAD:b.txt > b.tmp && mv b.tmp b.txt",
    "git show main:b.txt > /tmp/k/orig && cp /tmp/k/orig b.txt",
  ])
  await expectPassed(refused, [
    "sed s/a/b/ notes.md > /tmp/k/notes.md && mv /tmp/k/notes.md notes.md",
    "sed s/a/b/ notes.md | tee n.new && mv n.new notes.md",
    'f=notes.md; sed s/a/b/ "$f" > "$f.new" && mv "$f.new" "$f"',
    'for f in *.md; do sed s/a/b/ "$f" > "$f.tmp" && mv "$f.tmp" "$f"; done',
    `for f in notes.md a.txt; do sed s/a/b/ "\${f}" > "\${f}.tmp" && mv "\${f}.tmp" "\${f}"; done`,
  ])
})

it("what a command takes from a folder that it makes itself may be anything", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "git clone https://x.io/t.git ../t && cp -r ../t/. .",
    "git clone https://x.io/t.git ../t && cp -rf ../t/* .",
    "git worktree add ../w v1 && cp -r ../w/experiments/. experiments/",
    "mkdir t && echo x > t/notes.md && cp -r t/. .",
    'for f in *.md; do cp a.txt "$f"; done',
    "find . -name '*.md' -exec cp a.txt {} \\;",
    "ls *.md | xargs -n1 cp a.txt",
    "cp a.txt note*",
    "find . -maxdepth 1 -name '*.md' -exec mv {} all.txt \\;",
    "find . -maxdepth 1 -name '*.md' | xargs -I{} mv {} all.txt",
  ])
  await expectPassed(refused, [
    "git clone https://x.io/t.git ../t && cp -r ../t/. docs",
    "git clone https://x.io/t.git ../t && cp ../t/new.md other.md",
    "mkdir t && cp notes.md t/ && cp -r t /tmp/not-there-yet",
    "find . -maxdepth 1 -name '*.md' -exec mv {} docs/ \\;",
  ])
})

it("what was put aside is put back, whatever the test between says", async () => {
  const refused = await project()
  await expectPassed(refused, [
    "mv notes.md /tmp/k-not-there.md && npm test; mv /tmp/k-not-there.md notes.md",
    "cp b.txt b.txt.bak; sed -i s/x/y/ b.txt; npm test; mv b.txt.bak b.txt",
    "cp b.txt /tmp/k-b.bak && sed -i s/x/y/ b.txt && npm test || cp /tmp/k-b.bak b.txt",
    "cp notes.md docs/ ; npm test; cp docs/notes.md notes.md",
    "fd __pycache__ -x rm -rf",
    "fd -H -I node_modules -t d -x rm -rf",
  ])
  await expectRefused(refused, [
    "cp b.txt b.bak; echo x > b.bak; mv b.bak b.txt",
    "cp b.txt a.txt; cp a.txt b.txt",
    "cp a.txt k.txt; cp k.txt b.txt",
    "fd notes -x rm",
    "fd -e md -x rm",
    "fd . -x rm -rf",
  ])
})

it("what is no copy does not count as one", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "tar cf /dev/null notes.md && rm notes.md",
    "tar --exclude=notes.md -cf x.tar . && rm notes.md",
    "tar -cf x.tar --no-recursion experiments && rm -rf experiments",
    "tar -cf x.tar -N 2030-01-01 notes.md && rm notes.md",
    "zip x.zip experiments && rm -rf experiments",
    "zip -r x.zip . -x notes.md && rm notes.md",
    "cp -s $PWD/notes.md n2 && rm notes.md",
    "cp -l notes.md n2 && : > notes.md",
    "cp --attributes-only notes.md n2 && rm notes.md",
    "cp --symbolic-link $PWD/notes.md n2 && rm notes.md",
    "cp --update=none notes.md a.txt && rm notes.md",
    "cp notes.md /proc/self/fd/1 && rm notes.md",
    "f() { return 0; cp notes.md n2; }; f && rm notes.md",
    "f() { if a; then return; fi; cp notes.md n2; }; f && rm notes.md",
    "(exit 0; cp notes.md n2) && rm notes.md",
    "sh -c 'if a; then exit 0; fi; cp notes.md n2' && rm notes.md",
    "set -e; x=$(cp notes.md /nonexist/x; rm notes.md)",
    "(set -e; cp notes.md /nonexist/x; true); rm notes.md",
  ])
  await expectPassed(refused, [
    "tar czf x.tgz notes.md && rm notes.md",
    "tar -C experiments -cf x.tar a.txt && rm experiments/a.txt",
    "zip -qr x.zip experiments && rm -rf experiments",
    "cp -a experiments /tmp/kept-experiments && rm -rf experiments",
    "f() { cp notes.md n2; }; f && rm notes.md",
    "(cp notes.md n2) && rm notes.md",
  ])
})

it("programs that mostly read are seen where they write over a file", async () => {
  const refused = await project()
  await expectRefused(refused, [
    "iconv -f utf8 -t latin1 -o notes.md a.txt",
    "uniq a.txt notes.md",
    "sed -i -n '' notes.md",
    "sed -n 'w notes.md' a.txt",
    "sed -n '/x/w notes.md' a.txt",
    "awk -v o=notes.md '{ print > o }' a.txt",
    "view -c 'w! notes.md' a.txt",
    "python3 -c \"from os import remove; remove('notes.md')\"",
    "node -e \"require('child_process').execFileSync('git', ['reset', '--hard'])\"",
    'perl -e \'rename "a.txt", "notes.md"\'',
    "perl -e 'truncate \"notes.md\", 0'",
    "perl -e 'unlink glob \"experiments/*\"'",
  ])
  await expectPassed(refused, [
    "iconv -f utf8 -t latin1 notes.md",
    "uniq -c notes.md",
    "sed -n '1,5p' notes.md",
    "sed 's/a/show it/' notes.md",
    "awk -v o=notes.md '{ print o }' a.txt",
    "sed -i '' notes.md",
    "view notes.md",
  ])
})

/** Two files are committed, one of them changed; the notes and a folder are in no commit. */
async function project() {
  const files = { "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.log\n*.bak\nbuild\n", "docs/x.md": "x\n" }
  const dir = realpathSync(gitRepo(join(await tempProject(), "project"), files))
  mkdirSync(join(dir, "experiments"))
  writeFileSync(join(dir, "experiments/a.txt"), "tried\n")
  writeFileSync(join(dir, "notes.md"), "notes\n")
  writeFileSync(join(dir, "b.txt"), "changed\n")
  const refused = lossAsker(dir)
  await refused("git status")
  return refused
}
