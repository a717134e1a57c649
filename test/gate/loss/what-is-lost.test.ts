import { mkdirSync, realpathSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { commitFiles, git, gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { untilFileIsOlder } from "../../support/old-file.ts"
import { tempProject } from "../../support/temp-project.ts"

describe("with all work committed", () => {
  it("lets what is tracked, ignored or not there be deleted", async () => {
    const { refused } = await project()
    await expectPassed(refused, [
      "rm -rf node_modules package-lock.json && npm install",
      "rm -f src/old.ts",
      "rm src/old.ts src/a.ts",
      "rm -rf lib && npm run build",
      "rm -rf src",
      "rm -rf src/*",
      "npx rimraf lib src/gone",
      "find . -name '*.ts' -delete",
      "git rm -rf src",
      "rm -rf not-there && mkdir not-there",
      "git clone https://x.io/y.git && rm -rf y",
      'T=$(mktemp -d); trap \'rm -rf "$T"\' EXIT; cp src/a.ts "$T"',
      "python3 -c \"import shutil; shutil.rmtree('lib')\"",
      'cd -- "$(dirname "$0")" && rm -rf lib',
      'ROOT=$(cd "$(dirname "$BASH_SOURCE")" && pwd); rm -rf "$ROOT/src"',
    ])
    await expectRefused(refused, [
      // The script's own folder, not where the command runs.
      'mkdir -p x/y; printf \'rm -rf "$(dirname "$0")/../../.git"\' > x/y/z.sh; bash x/y/z.sh',
    ])
  })

  it("lets git put everything back, and everyday git be used", async () => {
    const { refused } = await project()
    await expectPassed(refused, [
      "git reset --hard",
      "git reset --hard HEAD",
      "git checkout .",
      "git checkout -f main",
      "git restore src",
      "git clean -fd",
      "git stash drop",
      "git commit --amend --no-edit",
      "git rebase -i --root",
      "git checkout -B feature",
      "git branch -D not-there",
    ])
  })

  it("still refuses what leaves the project, takes all of it, or cannot be known", async () => {
    const { refused } = await project()
    await expectRefused(refused, [
      "rm -rf .",
      "rm -rf *",
      "rm -rf .git",
      "rm -rf /opt/app",
      "rm ~/notes.md",
      'rm -rf "$SOMEWHERE"',
      "git push --force",
      "git push --force-with-lease origin main",
      "git push origin :main",
      "git filter-branch --all",
      "dropdb app",
      "kubectl delete ns prod",
      "mkfs.ext4 /dev/sda1",
      "aws s3 rm s3://bucket --recursive",
    ])
  })
})

it("refuses to delete somebody's repository in a temporary folder, and lets other temporary files go", async () => {
  const theirs = realpathSync(gitRepo(await tempProject(), FILES))
  const plain = realpathSync(await tempProject())
  writeFileSync(join(plain, "x"), "x")
  const { refused } = await project()
  await expectRefused(refused, [
    `rm -rf ${theirs}`,
    `rm -rf ${theirs}/`,
    `cd /tmp && rm -r ${theirs}`,
    `D=${theirs}; rm -rf "$D"`,
    `python3 -c "import shutil; shutil.rmtree('${theirs}')"`,
  ])
  await expectPassed(refused, [`rm -rf ${plain}`, `rm -rf ${plain}/*`, "rm -rf /tmp/not-there /tmp/x.txt"])
  // What the session has made or cloned itself is its own to take away.
  const own = realpathSync(gitRepo(await tempProject(), FILES))
  const clone = join(realpathSync(await tempProject()), "clone")
  git(own, "clone", "-q", theirs, clone)
  await expectPassed(refused, [`rm -rf ${own}`, `rm -rf ${clone}`])
})

it("a linked worktree in a temporary folder is asked like any repository there", async () => {
  const { dir, refused } = await project()
  const place = realpathSync(await tempProject())
  const commands = (name: string) => [
    `rm -rf ${place}/${name}`,
    `rm ${place}/${name}/src/a.ts`,
    `echo x > ${place}/${name}/src/a.ts`,
    `cp package.json ${place}/${name}/src/a.ts/not-there`,
  ]
  git(dir, "worktree", "add", "-q", join(place, "own"), "-b", "own")
  await expectPassed(refused, commands("own"))
  const theirs = await project()
  git(theirs.dir, "worktree", "add", "-q", join(place, "theirs"), "-b", "theirs")
  put(join(place, "theirs"), "src/a.ts", "in no commit")
  const later = lossAsker(dir)
  await untilFileIsOlder(join(place, "theirs/src/a.ts"))
  await expectRefused(later, commands("theirs").slice(0, 3))
})

it("refuses to delete more repositories in a temporary folder than git can be asked about", async () => {
  const place = realpathSync(await tempProject())
  for (let n = 0; n < 31; n++) mkdirSync(join(place, `r${n}/.git`), { recursive: true })
  const { refused } = await project()
  expect(await refused(`rm -rf ${place}/*`)).toContain("more repositories than git can be asked about")
  await expectPassed(refused, [`rm -rf ${place}/r1*`])
})

it("asks git about what lies in or around other repositories in a temporary folder, by name and by pattern", async () => {
  const place = realpathSync(await tempProject())
  const theirs = gitRepo(join(place, "nest/theirs"), FILES)
  for (const [name, text] of [
    ["b", "b"],
    ["sub/new.txt", "only here"],
  ] as const)
    put(theirs, name, text)
  const other = gitRepo(join(place, "x-other"), FILES)
  const pushed = gitRepo(join(place, "origin"), FILES)
  git(place, "clone", "-q", pushed, "clone")
  put(place, "x-plain/file", "x")
  const { refused } = await project()
  await expectRefused(refused, [
    `rm -rf ${theirs}/*`,
    `rm -rf ${place}/nest`,
    `rm -rf ${place}/nest/`,
    `rm -rf ${theirs}/sub`,
    `rm ${theirs}/b`,
    `cd ${theirs} && rm b`,
    `rm -rf ${place}/x-*`,
    `rm -rf ${place}/*`,
    `find ${place} -maxdepth 1 -name 'x-*' -exec rm -rf {} +`,
    `find ${place} -name 'b' -delete`,
    `ls ${place} | xargs -I{} rm -rf ${place}/{}`,
    `echo > ${theirs}/b`,
    `cp package.json ${theirs}/sub/new.txt`,
  ])
  await expectPassed(refused, [
    `rm -rf ${place}/clone`,
    `rm -rf ${place}/clone/* ${place}/x-p*`,
    `rm -rf ${other}/src`,
    `find ${place} -name '*.log' -delete`,
    `echo > ${theirs}/src/a.ts`,
    `echo > ${place}/x-plain/file`,
    `rm ${place}/x-plain/file`,
    "T=$(mktemp -d); git init $T; rm -rf $T",
  ])
  // What this session has put into another repository, and a link to one.
  put(theirs, "own.txt", "x")
  symlinkSync(theirs, join(place, "link"))
  await expectPassed(refused, [`rm ${theirs}/own.txt`, `echo > ${theirs}/own.txt`, `rm -f ${place}/link`])
})

describe("with work that is in no commit", () => {
  it("refuses to delete it, and lets all else go", async () => {
    const { refused } = await project({ changed: true })
    await expectRefused(refused, [
      "rm -rf src",
      "rm -rf s*",
      "rm -rf src/*",
      "rm src/a.ts",
      "rm src/new.ts",
      "rm -f src/new.ts",
      "rm -rf node_modules src",
      "find . -name '*.ts' -delete",
      "find src -type f -exec rm {} +",
      "git rm -rf src",
      "mv src old && rm -rf old",
      "mv src/a.ts /tmp/a.ts && rm /tmp/a.ts",
      "mv src /dev/null",
      "truncate -s 0 src/a.ts",
      "rsync -a --delete lib/ src/",
      "ln -s src link && rm -rf link/*",
      "cd src && rm -rf *",
      "python3 -c \"import os; os.remove('src/a.ts')\"",
      "node -e \"require('fs').rmSync('src', { recursive: true })\"",
      "bash -c 'rm -rf src'",
    ])
    await expectPassed(refused, [
      "rm src/old.ts",
      "rm -rf docs lib node_modules",
      "ln -s src link && rm link",
      "cp -r src copy && rm -rf copy",
      "rsync -a --delete src/ lib/",
    ])
    expect(await refused("rm -rf src")).toBe("deletes src/a.ts, src/new.ts, in no commit")
  })

  it("refuses to let git throw it away", async () => {
    const { refused } = await project({ changed: true })
    await expectRefused(refused, [
      "git reset --hard",
      "git reset --hard origin/main",
      "git checkout .",
      "git checkout -- src",
      "git checkout HEAD -- src/a.ts",
      "git checkout src/a.ts",
      "git checkout -f main",
      "git switch --discard-changes main",
      "git restore .",
      "git restore src/a.ts",
      "git clean -fd",
      "git clean -fdx",
      "git stash && git stash drop",
      "cd src && git checkout .",
    ])
    await expectPassed(refused, [
      "git checkout main",
      "git checkout src/old.ts",
      "git restore docs",
      "git restore --staged src",
      "git clean -fd docs",
      "git clean -fX lib",
      "git stash",
      "git stash drop",
      "git reset --soft HEAD",
    ])
  })

  it("counts a stash, and commits that are in no other branch", async () => {
    const { dir, refused } = await project({ changed: true })
    git(dir, "stash")
    await expectRefused(refused, ["git stash drop", "git stash clear"])
    git(dir, "checkout", "-q", "-b", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "b")
    git(dir, "checkout", "-q", "main")
    await expectRefused(refused, [
      "git branch -D feature",
      "git branch -f feature main",
      "git checkout -B feature",
    ])
    git(dir, "branch", "kept", "feature")
    await expectPassed(refused, [
      "git branch -D feature",
      "git branch -f feature main",
      "git checkout -B feature",
    ])
  })
})

describe("what a session has made itself", () => {
  it("may be deleted or put back by name, but not swept away with the rest", async () => {
    const { dir, refused } = await project()
    writeFileSync(join(dir, "src/a.ts"), "its own change")
    writeFileSync(join(dir, "repro.py"), "its own script")
    mkdirSync(join(dir, "scratch"))
    writeFileSync(join(dir, "scratch/x.txt"), "x")
    await expectPassed(refused, [
      "rm -f repro.py",
      "rm -rf scratch",
      "git checkout -- src/a.ts",
      "git restore src/a.ts",
    ])
    await expectRefused(refused, ["git checkout .", "git reset --hard", "git clean -fd"])
  })

  it("is told from the user's in a folder without git by its age", async () => {
    const dir = await tempProject()
    writeFileSync(join(dir, "theirs.txt"), "x")
    await untilFileIsOlder(join(dir, "theirs.txt"))
    const refused = lossAsker(dir)
    await refused("ls")
    writeFileSync(join(dir, "its-own.txt"), "x")
    await expectRefused(refused, ["rm theirs.txt", "rm *.txt"])
    await expectPassed(refused, ["rm its-own.txt", "rm -rf node_modules", "rm not-there.txt"])
    put(dir, "made/deep/x.ts", "x")
    await expectPassed(refused, ["rm -rf made", "rm -r made/*"])
    put(dir, "made/y.ts", "x")
    utimesSync(join(dir, "made/y.ts"), 0, 0)
    await expectPassed(refused, ["rm -rf made"])
    renameSync(join(dir, "theirs.txt"), join(dir, "made/theirs.txt"))
    await expectRefused(refused, ["rm -rf made", "rm -r made/*"])
  })
})

describe("what is pushed", () => {
  it("may not be rewritten, what is not pushed may", async () => {
    const { dir, refused } = await project()
    const remote = join(await tempProject(), "remote.git")
    git(dir, "init", "-q", "--bare", remote)
    git(dir, "remote", "add", "origin", remote)
    git(dir, "push", "-q", "-u", "origin", "main")
    await expectRefused(refused, ["git commit --amend", "git rebase --root"])
    git(dir, "checkout", "-q", "-b", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "b")
    await expectPassed(refused, [
      "git commit --amend --no-edit",
      "git rebase main",
      "git rebase origin/main",
      "git rebase -i HEAD~1",
      "git checkout main && git rebase feature",
    ])
    git(dir, "push", "-q", "-u", "origin", "feature")
    git(dir, "checkout", "-q", "main")
    commitFiles(dir, { "src/c.ts": "c" }, "c")
    await expectRefused(refused, ["git checkout feature && git rebase main", "git rebase main feature"])
    await expectPassed(refused, ["git rebase", "git pull --rebase"])
  })
})

describe("links and repositories in the project", () => {
  it("a path through a link is where it leads, the link itself is not", async () => {
    const { dir, refused } = await project()
    const outside = join("/var", "lib")
    symlinkSync(outside, join(dir, "outside"))
    git(dir, "add", "-A")
    git(dir, "commit", "-q", "-m", "link")
    await expectRefused(refused, ["rm -rf outside/dpkg", "rm -rf outside/*"])
    await expectPassed(refused, ["rm outside"])
  })

  it("a link with a slash behind it is the folder that it leads to", async () => {
    const { dir } = await project()
    put(dir, "data/input.csv", "old")
    symlinkSync("data", join(dir, "d"))
    const refused = lossAsker(dir)
    await refused("ls")
    await expectRefused(refused, ["rm -rf d/", "rm -rf ./d/", "rm -rf data/"])
    symlinkSync("src", join(dir, "s"))
    await expectPassed(refused, ["rm s", "rm -rf s/", "rm -rf lib/", "rm -rf node_modules/"])
  })

  it("a name with today's date in it may be there already", async () => {
    const { dir } = await project()
    const today = new Date().toISOString().slice(0, 10)
    put(dir, `snap-${today}/x`, "old")
    put(dir, `notes-${today}.md`, "old")
    const refused = lossAsker(dir)
    await refused("ls")
    await expectRefused(refused, [
      "rm -rf snap-$(date +%F)",
      "D=$(date +%F); rm -rf snap-$D",
      "rm notes-$(date +%F).md",
    ])
    await expectPassed(refused, [
      "rm -rf lib-$(date +%F)",
      "cp -r src src.bak-$(date +%s) && rm -rf src",
      "tar czf notes-$(date +%F).tgz snap-* && rm -rf node_modules",
      'L=/tmp/x-$(date +%s).log; npm test > "$L"; rm "$L"',
    ])
  })

  it("a repository that git ignores is asked itself", async () => {
    const { dir, refused } = await project()
    gitRepo(join(dir, "lib/inner"))
    await expectRefused(refused, ["rm -rf lib/inner"])
    writeFileSync(join(dir, "lib/inner/new.txt"), "x")
    await expectRefused(refused, ["rm lib/inner/new.txt"])
    await expectPassed(refused, ["rm lib/inner/a.txt"])
  })
})

describe("a project that is a part of a repository", () => {
  it("is asked about by the names that its files have there", async () => {
    const top = realpathSync(
      gitRepo(await tempProject(), { "pkg/app/src/a.ts": "a", "pkg/app/src/b.ts": "b" }),
    )
    const dir = join(top, "pkg/app")
    put(dir, "src/a.ts", "changed")
    put(dir, "src/new.ts", "new")
    put(dir, "n.md", "old")
    put(dir, "data/x.csv", "1")
    const refused = lossAsker(dir)
    await refused("ls")
    await expectRefused(refused, [
      "rm n.md",
      "rm -rf data",
      "rm -rf src",
      "rm *.md",
      "git checkout src/a.ts",
      "echo x > n.md",
      "cp src/new.ts src/a.ts",
      "mv src/b.ts n.md",
      "git checkout .",
      "git reset --hard",
      "git clean -fd",
    ])
    put(dir, "its-own.py", "x")
    put(dir, "src/b.ts", "its own")
    await expectPassed(refused, [
      "rm its-own.py",
      "git checkout src/b.ts",
      "echo x > src/b.ts",
      "rm not-there.md",
    ])
  })
})

describe("another worktree of the project", () => {
  it("has files that nobody has noted: what was changed there is not this session's own", async () => {
    const { dir, refused } = await project()
    const side = realpathSync(await tempProject())
    git(dir, "worktree", "add", "-q", join(side, "wt"), "-b", "side")
    put(join(side, "wt"), "src/a.ts", "changed before")
    const wt = join(side, "wt")
    await expectRefused(refused, [
      `git -C ${wt} checkout -- src/a.ts`,
      `git -C ${wt} restore src/a.ts`,
      `cd ${wt} && git checkout src/a.ts`,
      `git archive HEAD | tar x -C ${wt}`,
    ])
    await expectPassed(refused, [`git -C ${wt} checkout -- src/old.ts`])
  })
})

/** A project with a commit, and a session that begins now; `changed` before it. */
async function project({ changed = false } = {}) {
  const dir = realpathSync(gitRepo(await tempProject(), FILES))
  mkdirSync(join(dir, "node_modules"))
  mkdirSync(join(dir, "lib"))
  writeFileSync(join(dir, "lib/index.js"), "made")
  if (changed) {
    writeFileSync(join(dir, "src/a.ts"), "changed")
    writeFileSync(join(dir, "src/new.ts"), "new")
  }
  const refused = lossAsker(dir)
  await refused("git status")
  return { dir, refused }
}

function put(dir: string, name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true })
  writeFileSync(join(dir, name), text)
}

const FILES = {
  "src/a.ts": "a",
  "src/old.ts": "old",
  "docs/x.md": "x",
  "package-lock.json": "{}",
  ".gitignore": "node_modules\nlib\n",
}
