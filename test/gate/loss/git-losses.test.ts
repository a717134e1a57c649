import { execFileSync } from "node:child_process"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { commitFiles, GIT_ENV, git, gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

describe("rarer ways to lose work that is in no commit", () => {
  it("are refused", async () => {
    const { refused } = await project({ changed: true })
    await expectRefused(refused, [
      "git checkout --pathspec-from-file=list.txt",
      "git restore --pathspec-from-file list.txt",
      "git rm -f --pathspec-from-file=list.txt",
      "git checkout-index -f src/a.ts",
      "git checkout-index -f -a",
      "git ls-files | git checkout-index -f --stdin",
      "git diff | git apply -R",
      "git diff src | git apply --reverse",
      "git diff | patch -R -p1",
      "git rm -f src/a.ts",
      "git rm -rf .",
      "git read-tree -u --reset HEAD",
      "git -c clean.requireForce=false clean -d",
      "git stash -u && git stash drop",
      "git mv -f src/old.ts src/a.ts",
      "printf 'src/a.ts\\0' | xargs -0 rm",
      "printf '%s\\0' src/*.ts | xargs -0 rm -f",
      "find src -name '*.ts' -print0 | xargs -0 rm",
      "find src -name '*.ts' | grep a | xargs rm",
      "echo src/a.ts,src/new.ts | xargs -d , rm",
      "git ls-files -m | xargs rm",
      "git ls-files src | xargs rm",
      "git ls-files -o --exclude-standard | xargs rm",
      "git diff --name-only | xargs rm",
      "ls src/*.ts | xargs rm",
      "tar --remove-files -cf out.tar src",
      "tar -cf out.tar --remove-files -C src a.ts",
      "zip -rm out.zip src",
      "python3 -c \"from pathlib import Path; Path('src/new.ts').unlink()\"",
      "python3 -c \"from pathlib import Path; p = Path('src/new.ts'); p.unlink()\"",
      "python3 -c \"from pathlib import Path\nfor p in Path('src').glob('*.ts'): p.unlink()\"",
      "python3 -c \"import os; os.rename('src/old.ts', 'src/new.ts')\"",
      "python3 -c \"import shutil; shutil.copy('src/old.ts', 'src/a.ts')\"",
      "node -e \"require('fs').rmSync('src/new.ts')\"",
      "node -e \"fs.copyFileSync('src/old.ts', 'src/a.ts')\"",
      "rsync -a --delete docs/ src/",
      "truncate -s 10 src/a.ts",
      "truncate --size=-1 src/a.ts",
      "shred -u src/a.ts",
      "git diff --name-only | xargs git checkout --",
      "git status -s | cut -c4- | xargs git checkout --",
      "git archive HEAD | tar x",
      "patch -R src/a.ts < <(git diff src/a.ts)",
      'cd "$X/.." && rm -rf src',
      "gh pr checkout 1 --force",
      "svn revert -R .",
      "npx shx rm -rf src",
      "sed -i d src/new.ts",
      "perl -i -ne '' src/new.ts",
      "cat src/old.ts | sponge src/new.ts",
      'awk \'BEGIN { print "x" > "src/new.ts" }\'',
      "python3 -c \"import glob, os; [os.remove(f) for f in glob.glob('src/*.ts')]\"",
      "python3 -c \"from pathlib import Path; [p.unlink() for p in Path('src').iterdir()]\"",
    ])
    await expectPassed(refused, [
      "git rm -f src/old.ts",
      "git checkout-index -f src/old.ts",
      "git diff > x.patch && git apply -R x.patch",
      "git show HEAD | git apply -R --check",
      "git ls-files docs | xargs rm",
      "git ls-files -z docs | xargs -0 rm",
      "git ls-files -i -o --exclude-standard | xargs rm",
      "printf 'docs/x.md\\0' | xargs -0 rm",
      "find docs -name '*.md' | sort | xargs rm",
      "ls docs/*.md | xargs rm",
      "truncate -s +10 src/a.ts",
      "sed -i 1d src/new.ts",
      "sed -i -n /x/p src/new.ts",
      "perl -i -ne 'print if /x/' src/new.ts",
      "sort src/new.ts | sponge src/new.ts",
      "patch -R -i old.patch",
      'cd "$SOMEWHERE" && git checkout main && git pull',
      'git checkout "$VERSION"',
      "git diff --name-only | xargs git add",
      "curl -s https://x.io/list | grep wast | xargs -Iurl curl -sO url",
      "mkfs.erofs --version",
      "T=$(mktemp -d 2>/dev/null || mktemp -d -t x.XXXX); rm -rf $T",
      "clean() { rm -rf $T; }\nmake() { T=$(mktemp -d); }",
      "python3 -c \"from pathlib import Path; Path('docs/x.md').unlink()\"",
      "python3 -c \"import shutil; shutil.copy('src/a.ts', 'copy.ts')\"",
    ])
  })

  it("a stash that is dropped at once is asked about what it takes, new files too", async () => {
    const { dir, refused } = await project()
    writeFileSync(join(dir, "src/new.ts"), "new")
    await expectRefused(refused, ["git stash -u && git stash drop", "git stash -a && git stash clear"])
    await expectPassed(refused, ["git stash && git stash drop"])
  })

  it("a forced worktree or submodule that goes is asked about itself", async () => {
    const { dir, refused } = await project()
    const side = join(dir, "..", "side")
    git(dir, "worktree", "add", "-q", side)
    gitRepo(join(dir, "..", "module"))
    git(
      dir,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "add",
      "-q",
      join(dir, "..", "module"),
      "module",
    )
    git(dir, "commit", "-q", "-m", "module")
    const commands = ["git worktree remove --force ../side", "git submodule deinit -f module"]
    await expectPassed(refused, [...commands, "git submodule deinit --force --all"])
    for (const folder of [side, join(dir, "module")]) writeFileSync(join(folder, "new.txt"), "x")
    await expectRefused(refused, [...commands, "git submodule deinit --force --all"])
  })

  it("commits of before the session that a reset leaves behind are asked about, on a clean tree too", async () => {
    const { dir, refused } = await project()
    commitLongAgo(dir, "b")
    const back = ["git reset --hard HEAD~1", "git reset --keep HEAD~1", "git reset --hard HEAD~1 && ls"]
    await expectRefused(refused, [...back, 'git reset --hard "$COMMIT"', "git reset --hard ORIG_HEAD~3"])
    await expectPassed(refused, [
      "git reset --hard",
      "git reset --hard HEAD",
      "git reset HEAD~1",
      "git reset --soft HEAD~1",
      "git branch backup && git reset --hard HEAD~1",
      "git push origin main && git reset --hard HEAD~1",
    ])
    git(dir, "update-ref", "refs/remotes/origin/main", "HEAD")
    await expectPassed(refused, back)
    commitLongAgo(dir, "c")
    await expectRefused(refused, [...back, "git reset --hard origin/main"])
    git(dir, "checkout", "-q", "--detach")
    git(dir, "branch", "-D", "main")
    await expectRefused(refused, back)
    git(dir, "branch", "side")
    await expectPassed(refused, back)
  })

  it("old text that a session has committed anew is no more its own than before", async () => {
    const { dir, refused } = await project()
    git(dir, "checkout", "-q", "-b", "feature")
    commitLongAgo(dir, "f", "author")
    git(dir, "commit", "-q", "--amend", "-m", "another word")
    git(dir, "branch", "-q", "-u", "main")
    await expectRefused(refused, [
      "git reset --hard HEAD~1",
      "git reset --hard main",
      "git reset --hard '@{u}'",
      "git reset --hard 'feature@{upstream}'",
      "git reset --hard '@{-1}'",
      "git reset --hard 'HEAD@{3}'",
    ])
    await expectPassed(refused, ["git reset --hard 'HEAD@{1}'", "git reset --hard 'feature@{1}'"])
    git(dir, "checkout", "-q", "-b", "again")
    git(dir, "branch", "-q", "-D", "feature")
    git(dir, "rebase", "-q", "--force-rebase", "main")
    await expectPassed(refused, ["git reset --hard ORIG_HEAD"])
    await expectRefused(refused, ["git reset --hard main"])
    git(dir, "branch", "-q", "-m", "feature")
    git(dir, "tag", "kept")
    git(dir, "checkout", "-q", "main")
    commitFiles(dir, { "src/m.ts": "m" }, "its own")
    git(dir, "cherry-pick", "feature")
    await expectPassed(refused, ["git reset --hard HEAD~1", "git reset --hard HEAD~2"])
  })

  it("commits of one second are told apart where a session has made one of them anew", async () => {
    const { dir, refused } = await project()
    commitLongAgo(dir, "m", "author")
    git(dir, "checkout", "-q", "-b", "feature", "main~1")
    commitLongAgo(dir, "e", "author")
    commitLongAgo(dir, "f", "author")
    git(dir, "commit", "-q", "--amend", "-m", "another word")
    await expectRefused(refused, ["git reset --hard HEAD~1", "git reset --hard main"])
    await expectPassed(refused, ["git reset --hard 'HEAD@{1}'"])
    writeFileSync(join(dir, "src/f.ts"), "another text")
    git(dir, "commit", "-q", "-a", "--amend", "-m", "other text and words")
    await expectRefused(refused, ["git reset --hard HEAD~1", "git reset --hard main"])
    await expectPassed(refused, ["git reset --hard 'HEAD@{1}'", "git reset --hard 'HEAD@{2}'"])
    git(dir, "rebase", "-q", "main")
    await expectRefused(refused, ["git reset --hard main", "git reset --hard '@{-1}'"])
    await expectPassed(refused, ["git reset --hard ORIG_HEAD", "git branch kept && git reset --hard main"])
  })

  it("a stash holds no commits: the next pop takes it away", async () => {
    const { dir, refused } = await project()
    git(dir, "checkout", "-q", "-b", "feature")
    commitLongAgo(dir, "f")
    change(dir)
    git(dir, "stash", "-q")
    await expectRefused(refused, ["git reset --hard main", "git reset --hard HEAD~1"])
    git(dir, "checkout", "-q", "main")
    await expectRefused(refused, ["git branch -D feature", "git checkout -B feature main"])
    git(dir, "tag", "kept", "feature")
    await expectPassed(refused, ["git branch -D feature", "git checkout feature && git reset --hard main"])
  })

  it("a reset is asked of the branch that the same line has changed to", async () => {
    const { dir, refused } = await project()
    git(dir, "checkout", "-q", "-b", "feature")
    commitLongAgo(dir, "f")
    git(dir, "checkout", "-q", "main")
    await expectRefused(refused, [
      "git checkout feature && git reset --hard main",
      "git switch -q feature; git reset --keep main",
      "git checkout feature && git reset --hard HEAD~1",
      "git commit -am x && git checkout feature && git reset --hard HEAD^",
      "git checkout feature && git reset --soft main && git reset --hard",
      "git checkout feature; git reset main; git checkout -- .",
      "git checkout feature && git reset --mixed HEAD~1 && git restore .",
      'git checkout feature && git reset --soft "$BASE" && git checkout -f',
    ])
    await expectPassed(refused, [
      "git checkout feature && git reset --hard",
      "git checkout feature && git reset --soft main && git commit -m squashed && git reset --hard",
      "git checkout feature && git reset --soft main && git status",
      "git reset src/a.ts && git checkout src/a.ts",
      "git reset -- src/a.ts && git checkout -- src/a.ts",
      "git reset && git checkout .",
      "git reset src && git checkout -- src",
      "git checkout feature && git branch kept && git reset --hard main",
      "git checkout feature && git commit -am x && git reset --hard HEAD~1",
      "git commit -am x && git reset --hard HEAD~1",
      "git commit -am x && git checkout src/a.ts && git reset --hard HEAD~1",
    ])
  })

  it("what a reset has taken out of old commits is in the files only, and goes with them", async () => {
    const { dir, refused } = await project()
    commitLongAgo(dir, "b")
    await expectRefused(refused, [
      "git reset HEAD~1 && rm src/b.ts",
      "git reset --mixed HEAD~1 && rm src/*.ts",
      "git reset HEAD~1; rm -rf src",
      "git reset --soft HEAD~1 && git rm -f src/b.ts",
      "git reset --soft HEAD~1 && git restore --staged . && rm src/b.ts",
      "git reset --soft HEAD~1 && git stash && git stash drop",
      "git reset --soft HEAD~1 && git stash && git stash pop && git reset --hard",
    ])
    await expectPassed(refused, [
      "git reset HEAD~1 && rm src/old.ts",
      "git reset HEAD~1 && rm -rf lib",
      "git reset --soft HEAD~1 && git rm -f src/old.ts",
      "git reset --soft HEAD~1 && git commit -m x && rm src/b.ts",
      "git reset --soft HEAD~1 && git stash && git reset --hard",
      "git branch kept && git reset HEAD~1 && rm src/b.ts",
      "git reset src/b.ts && rm src/b.ts",
    ])
  })

  it("a session takes its own commits and merges back", async () => {
    const { dir, refused } = await project()
    git(dir, "branch", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "wip")
    await expectPassed(refused, ["git reset --hard HEAD~1", "git reset --keep HEAD~1"])
    git(dir, "checkout", "-q", "feature")
    commitLongAgo(dir, "c")
    git(dir, "merge", "-q", "--no-edit", "main")
    await expectPassed(refused, [
      "git reset --hard ORIG_HEAD",
      "git reset --hard HEAD~1",
      "git reset --merge HEAD^",
    ])
    await expectRefused(refused, ["git reset --hard HEAD~2"])
    change(dir)
    await expectRefused(refused, ["git reset --hard ORIG_HEAD", "git reset --hard HEAD~1"])
  })

  it("among many files, folders and branches too", async () => {
    const { dir, refused } = await project({ changed: true })
    const names = Array.from({ length: 150 }, (_, n) => `src/f${n}.ts`).join(" ")
    await expectRefused(refused, [
      `git checkout ${names} src/a.ts`,
      `git restore src/a.ts ${names}`,
      `git checkout docs src ${names}`,
      "git checkout -- ../outside.ts src/a.ts",
    ])
    await expectPassed(refused, [`git checkout -- ${names} src/old.ts docs`])
    const branches = Array.from({ length: 90 }, (_, n) => `b${n}`).join(" ")
    await expectRefused(refused, [`git branch -D ${branches}`])
    writeFileSync(join(dir, "docs/x.md"), "changed by this session")
    await expectPassed(refused, ["git checkout src/old.ts docs/x.md"])
    await expectRefused(refused, ["git checkout src/old.ts docs/x.md docs"])
  })

  it("a branch or tag whose name is not known may be any of them", async () => {
    const { dir, refused } = await project()
    const any = [
      'git branch -D "$B"',
      "git branch | grep feature | xargs git branch -D",
      'git branch -D "feature/$B"',
      'git update-ref -d "refs/heads/$B"',
    ]
    git(dir, "branch", "feature/done")
    await expectPassed(refused, [...any, 'git tag -d "$T"'])
    git(dir, "checkout", "-q", "-b", "feature/a.b")
    commitFiles(dir, { "src/b.ts": "b" }, "only here")
    await expectPassed(refused, any)
    git(dir, "checkout", "-q", "main")
    await expectRefused(refused, any)
    await expectPassed(refused, ['git branch -D "release/$B"', 'git branch -D "feature/$B.c"'])
    await expectRefused(refused, [
      "git tag keep feature/a.b && git branch -D feature/a.b && git tag -d keep",
      "git branch keep feature/a.b && git branch -D feature/a.b keep",
      "for b in $(git branch --format='%(refname:short)'); do git branch -D $b; done",
      "git fetch --prune origin '+refs/heads/*:refs/heads/*' --update-head-ok",
      "git -c remote.origin.push=+main push",
      "git -c remote.origin.mirror=true push",
      "git send-pack --force ../remote.git main",
    ])
    await expectPassed(refused, [
      "git tag keep feature/a.b && git branch -D feature/a.b",
      "git branch tmp && git branch -D tmp",
      "git tag tmp main && git tag -d tmp",
    ])
    git(dir, "tag", "kept", "feature/a.b")
    await expectPassed(refused, any)
    git(dir, "branch", "-D", "feature/a.b")
    await expectRefused(refused, ['git tag -d "$T"', 'git tag -d "k$T"'])
  })

  it("commits that a branch is moved away from are asked about", async () => {
    const { dir, refused } = await project()
    git(dir, "checkout", "-q", "-b", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "b")
    git(dir, "tag", "-m", "v1", "v1")
    git(dir, "checkout", "-q", "main")
    git(dir, "branch", "-q", "other")
    await expectPassed(refused, ["git branch -D feature", "git branch -f main feature", "git branch -M main"])
    git(dir, "tag", "-d", "v1")
    await expectRefused(refused, [
      "git update-ref refs/heads/feature main",
      "git update-ref -d refs/heads/feature",
      "git branch -M other feature",
      "git branch -f feature main",
      "git branch -C main feature",
      "git fetch . +main:feature",
      "git fetch -f origin main:feature",
      "git checkout -B feature main",
    ])
    await expectPassed(refused, [
      "git update-ref refs/heads/main feature",
      "git update-ref -d refs/heads/other",
      "git branch -M other new",
      "git branch -f other feature",
      "git fetch . +feature:other",
      "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
      "git fetch --prune",
    ])
  })
})

describe("branches that the same line makes, leaves and renames", () => {
  /** On main, with a commit of long ago that only main has, and one that only feature has. */
  async function diverged() {
    const { dir, refused } = await project()
    git(dir, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(dir, "checkout", "-q", "-b", "feature")
    commitLongAgo(dir, "f")
    git(dir, "checkout", "-q", "main")
    commitLongAgo(dir, "m")
    return { dir, refused }
  }

  it("HEAD is the branch that the line has changed to", async () => {
    const { refused } = await diverged()
    await expectRefused(refused, [
      "git checkout feature && git checkout -B main",
      "git switch feature && git switch -C main",
      "git switch feature && git switch --force-create=main",
      "git checkout feature && git branch -f main",
      "git checkout feature && git branch -f main HEAD",
      "git checkout feature && git branch -f main HEAD~1",
      "git checkout feature && git branch -M main",
      "git checkout feature && git update-ref refs/heads/main HEAD",
      "git checkout feature && git update-ref HEAD main",
      "git checkout feature -- && git reset --hard main",
      "git checkout feature && git checkout - && git reset --hard feature",
      "git checkout feature && git branch -D @{-1}",
      "git branch t && git checkout feature && git reset --hard t",
      "git branch t && git checkout feature && git reset --soft t && git checkout .",
      "git branch -m main kept && git checkout feature && git branch -D kept",
      "git checkout -f -B main feature",
    ])
    await expectPassed(refused, [
      "git checkout feature && git checkout -B new",
      "git checkout feature && git branch -f feature",
      "git checkout feature && git checkout main && git branch -f main HEAD",
      "git checkout feature && git merge main && git branch -f main",
      "git checkout feature -- && git reset --hard",
      "git checkout --detach feature && git reset --hard main",
      "git checkout feature~1 && git reset --hard main",
      "git branch -M main",
    ])
  })

  it("a new branch holds the commits of the one that it was made from", async () => {
    const { refused } = await diverged()
    await expectPassed(refused, [
      "git checkout -b feat && git checkout main && git reset --hard origin/main",
      "git switch -c feat && git switch main && git reset --hard origin/main",
      "git checkout -b feat && git push -u origin feat && git checkout main && git reset --hard origin/main",
      "git checkout -b feat && git checkout - && git reset --hard origin/main",
      "git checkout -b feat && git branch -f main origin/main",
      "git checkout -b t && git reset --hard HEAD~1",
      "git worktree add -b feat ../w && git reset --hard origin/main",
      "git checkout -b fix feature && git reset --hard main",
      "git checkout -b new feature && git branch -D feature",
      "git switch --create=new feature && git branch -D feature",
      "git branch t && git reset --hard && git branch -D t",
      "git tag tmp && git tag -d tmp",
      "git checkout -b tmp && git commit -am x && git checkout main && git merge tmp && git branch -D tmp",
    ])
    await expectRefused(refused, [
      "git checkout -b feat; git checkout main; git reset --hard origin/main",
      "git checkout -b feat origin/main && git checkout main && git reset --hard origin/main",
      "git checkout -b fix feature && git branch -D feature && git reset --hard main",
      "git checkout -b new feature && git branch -D feature && git checkout main && git branch -D new",
      "git checkout -b t && git checkout main && git reset --hard origin/main && git branch -D t",
      "git branch t && git reset --hard origin/main && git branch -D t",
      "git tag t && git reset --hard origin/main && git tag -d t",
      "git branch t feature && git checkout feature && git reset --hard main && git branch -D t",
      "git checkout -b t && git branch -D main && git reset --hard HEAD~1",
      "git checkout -b t && git branch -D main && git checkout feature && git branch -D t",
      "git checkout -b t && git branch -f main origin/main && git checkout feature && git branch -D t",
      "git checkout -b int && git merge feature && git branch -D feature && git checkout main && git branch -D int",
      "git merge feature && git branch -D feature && git reset --hard HEAD~1",
      "git worktree add -B feature ../w main",
      "git worktree add -B feature ../w",
      "git pull origin +main:feature",
      "git pull -f origin main:feature",
    ])
  })

  it("a branch with another name is the same branch", async () => {
    const { dir, refused } = await diverged()
    await expectRefused(refused, [
      "git branch -m feature feat2 && git branch -D feat2",
      "git branch -m feature feat2; git branch -D feat2",
      "git branch -c feature feat2 && git branch -D feature && git branch -D feat2",
      "git branch -m trunk && git reset --hard origin/main",
      "git branch -m trunk && git checkout feature && git branch -D trunk",
      "git branch -m feature feat2 && git branch -m feat2 feat3 && git branch -D feat3",
    ])
    await expectPassed(refused, [
      "git branch -m feature feat2 && git merge feat2 && git branch -D feat2",
      "git branch -m feature feat2 && git tag kept feat2 && git branch -D feat2",
      "git branch -m trunk && git reset --hard",
      "git branch -c feature feat2 && git branch -D feature",
    ])
    git(dir, "branch", "copy", "feature")
    await expectPassed(refused, ["git branch -D feature", "git branch -D copy"])
    await expectRefused(refused, [
      "git branch -D feature copy",
      "git branch -D feature && git branch -D copy",
      "git checkout feature && git reset --hard main && git branch -D copy",
    ])
  })

  it("a remote's branch may go where another branch has it", async () => {
    const { dir, refused } = await diverged()
    const commands = [
      "git push origin --delete feature",
      "git push -d origin feature",
      "git push origin :feature",
      "git push origin :refs/heads/feature",
      "git push origin --delete feature && git branch -D feature",
      "git branch -D feature && git push origin --delete feature",
    ]
    const anyway = [
      'git push origin --delete "$B"',
      "git push origin --delete unknown",
      "git push origin --delete refs/tags/v1",
      "git push --prune origin",
      "git push https://example.org/x.git --delete feature",
      "git push origin --delete main",
    ]
    git(dir, "update-ref", "refs/remotes/origin/feature", "feature")
    git(dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feature")
    await expectRefused(refused, [...commands, ...anyway.slice(0, -1)])
    await expectPassed(refused, [
      "git push -n origin --delete feature",
      "git merge feature && git push && git push origin --delete feature && git branch -D feature",
      "git branch -m feature trunk && git push -u origin trunk && git push origin --delete feature",
    ])
    git(dir, "merge", "-q", "--no-edit", "feature")
    await expectPassed(refused, commands)
    git(dir, "update-ref", "refs/remotes/origin/main", "main")
    await expectRefused(refused, anyway)
  })

  it("the branch of another repository is another branch", async () => {
    const { dir, refused } = await diverged()
    git(dir, "worktree", "add", "-q", join(dir, "..", "side"), "feature")
    await expectRefused(refused, [
      "git -C ../side checkout main~1 && git reset --hard origin/main",
      "git -C ../side switch -c new && git -C ../side reset --hard main && git reset --hard origin/main",
      "git checkout main && cd src && git reset --hard origin/main",
    ])
    await expectPassed(refused, ["git -C ../side checkout -b new && git -C ../side reset --hard main"])
  })

  it("the branch at hand is not where it was, by its own name either", async () => {
    const { refused } = await diverged()
    await expectRefused(refused, [
      "git branch keep && git reset --hard origin/main && git branch -f keep main",
      "git branch keep && git reset --hard origin/main && git checkout keep && git reset --hard main",
    ])
    await expectPassed(refused, [
      "git branch keep && git reset --hard origin/main && git checkout keep && git reset --hard",
      "git branch keep main && git reset --hard origin/main && git branch -f keep2 main",
      "git branch keep && git reset --hard origin/main && git merge keep",
    ])
  })

  it("a worktree that the line makes has the branch that it was made for", async () => {
    const { dir, refused } = await diverged()
    await expectRefused(refused, [
      "git worktree add ../w3 feature && git -C ../w3 reset --hard main",
      "git worktree add ../w3 feature && cd ../w3 && git reset --hard main",
      "git worktree add w3 feature && cd w3 && git reset --hard HEAD~1",
      "git worktree add ../feature && cd ../feature && git reset --hard main",
      "git worktree add ../w3 && git -C ../w3 branch -D feature",
    ])
    await expectPassed(refused, [
      "git worktree add ../w3 && git -C ../w3 reset --hard origin/main",
      "git worktree add ../w3 nowhere && git -C ../w3 reset --hard origin/main",
      "git worktree add -b new ../w3 feature && cd ../w3 && git reset --hard main",
      "git worktree add --detach ../w3 feature && cd ../w3 && git reset --hard main",
      "git worktree add w3 feature && git -C w3 reset --hard && git reset --hard",
    ])
    git(dir, "branch", "kept", "feature")
    await expectPassed(refused, ["git worktree add ../w3 feature && git -C ../w3 reset --hard main"])
  })

  it("a commit that the line has picked or reverted is its own to amend", async () => {
    const { dir, refused } = await diverged()
    git(dir, "update-ref", "refs/remotes/origin/main", "HEAD")
    await expectPassed(refused, [
      "git cherry-pick feature && git commit --amend --no-edit",
      "git revert --no-edit HEAD && git commit --amend -m y",
      "git commit -am x && git checkout -b new && git commit --amend -m y",
    ])
    await expectRefused(refused, [
      "git cherry-pick -n feature && git commit --amend --no-edit",
      "git cherry-pick --abort && git commit --amend --no-edit",
      "git checkout -b new && git commit --amend -m y",
    ])
  })
})

describe("earlier steps of one line", () => {
  it("count where the next one needs them to go well", async () => {
    const { dir, refused } = await project({ changed: true })
    git(dir, "checkout", "-q", "-b", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "b")
    git(dir, "checkout", "-q", "main")
    change(dir)
    await expectPassed(refused, [
      "git stash -u && git reset --hard",
      "git stash && git reset --hard origin/main",
      "git stash push -m x && git checkout .",
      "git stash -u && git clean -fd",
      "set -e\ngit stash -u\ngit clean -fd",
      "git stash -u && { git reset --hard; git clean -fd; }",
      "git add -A && git commit -m x && git clean -fd",
      "git add . && git commit -qm x && git reset --hard",
      "git add src && git commit -m x && rm -rf src",
      "git commit -am x && git checkout -f feature",
      "git commit -am x && rm src/a.ts",
      "git merge feature && git branch -D feature",
      "git merge --squash feature && git commit -m x && git branch -D feature",
      "git checkout main && git merge --no-ff feature && git branch -D feature",
      "git push origin feature && git branch -D feature",
      "git checkout feature && git push && git checkout main && git branch -D feature",
      "git tag archive/feature feature && git branch -D feature",
      "cp src/new.ts /tmp && rm src/new.ts",
      "cp -r src ../src-backup && rm -rf src",
      "cp src/new.ts src/kept.ts && rm src/new.ts",
    ])
  })

  it("do not count where they may fail, are taken back, or were somewhere else", async () => {
    const { dir, refused } = await project({ changed: true })
    git(dir, "checkout", "-q", "-b", "feature")
    commitFiles(dir, { "src/b.ts": "b" }, "b")
    git(dir, "checkout", "-q", "main")
    mkdirSync(join(dir, "docs/inner"))
    change(dir)
    await expectRefused(refused, [
      "git stash -u; git reset --hard",
      "git stash -u || git reset --hard",
      "git stash -u || true && git reset --hard",
      "set -e; { git stash -u; git reset --hard; } || true",
      "set -e; f() { git stash -u; git reset --hard; }; f || echo no",
      "set -e; git stash -u && ls; git reset --hard",
      "set -e; if { cp src/new.ts /tmp/n; rm src/new.ts; }; then :; fi",
      "(set -e; git stash -u; git reset --hard) || true",
      "(set -e); git stash -u; git reset --hard",
      "! git stash -u && git reset --hard",
      "git stash -u & git reset --hard",
      "if git stash -u; then true; fi && git reset --hard",
      "git stash -u | cat && git reset --hard",
      "echo $(git stash -u) && git reset --hard",
      "git stash -u && git stash pop && git reset --hard",
      "git stash && git clean -fd",
      "git stash -p && git reset --hard",
      "git stash push docs && git reset --hard",
      "cd docs/inner && git stash -u && cd ../.. && git reset --hard",
      "git add -A && git clean -fd && git commit -m x",
      "git add -A && git commit --dry-run && git clean -fd",
      "git add docs && git commit -m x && rm -rf src",
      "git commit -am x && git clean -fd",
      "git commit -am x && rm src/new.ts",
      "git add -A && git commit -m x && git reset HEAD~1 && git clean -fd",
      "git checkout feature && git add -A && git commit -m x && git branch -D feature",
      "git merge --abort && git branch -D feature",
      "git merge --squash feature && git branch -D feature",
      "git push --dry-run origin feature && git branch -D feature",
      "git push origin main && git branch -D feature",
      "cp src/new.ts /tmp; rm src/new.ts",
      "cp src/new.ts /dev/null && rm src/new.ts",
      "cp -n src/new.ts docs/x.md && rm src/new.ts",
      "cp src/new.ts src/kept.ts && rm src/new.ts src/kept.ts",
      "cp src/new.ts src/kept.ts && rm -rf src",
      "cp src/new.ts copy.ts && rm -f copy.ts src/new.ts",
      "cp src/new.ts copies/ && rm -rf copies && rm src/new.ts",
      "cp src/new.ts copy.ts && mv copy.ts /dev/null && rm src/new.ts",
      "GIT_DIR=../other/.git git stash -u && git reset --hard",
      "git --git-dir=../other/.git stash -u && git reset --hard",
      "cp src/new.ts copy.ts && echo x > copy.ts && rm src/new.ts",
    ])
  })
})

describe("what passes though it looks grave", () => {
  it("a database in memory, and folders that a package manager names", async () => {
    const { refused } = await project({ changed: true })
    await expectPassed(refused, [
      "sqlite3 :memory: 'create table t(a); drop table t'",
      "duckdb :memory: -c 'drop table t'",
      "sqlite3 /tmp/x.db 'delete from t'",
      'rm -rf "$(npm root)"',
      "rm -rf $(npm root)/.cache",
      'rm -rf "$(npm config get cache)"',
    ])
    await expectRefused(refused, ["sqlite3 dev.db 'drop table t'", 'rm -rf "$(npm root -g)"'])
  })
})

describe("a stash of what git does not know", () => {
  it("leaves HiveMind's own folder where it is, and says how", async () => {
    const { dir, refused } = await project({ changed: true })
    mkdirSync(join(dir, ".hivemind/graph"), { recursive: true })
    writeFileSync(join(dir, ".hivemind/graph/x.jsonl"), "{}")
    await expectRefused(refused, [
      "git stash -u",
      "git stash push --include-untracked -m work",
      "git stash save -u work",
      "cd src && git stash -u",
      "git stash -u -- .hivemind src",
    ])
    await expectPassed(refused, [
      "git stash",
      "git stash -u -- ':!.hivemind'",
      "git stash push -u -- src",
      "ssh host git stash -u",
      'cd "$X" && git stash -u',
    ])
    writeFileSync(join(dir, ".hivemind/.gitignore"), "*")
    await expectPassed(refused, ["git stash -u", "git stash push -u -m work"])
  })
})

/** A project with a commit, and a session that begins now; `changed` before it. */
async function project({ changed = false } = {}) {
  const files = { "src/a.ts": "a", "src/old.ts": "old", "docs/x.md": "x", ".gitignore": "lib\n" }
  const dir = realpathSync(gitRepo(join(await tempProject(), "project"), files))
  if (changed) change(dir)
  const refused = lossAsker(dir)
  await refused("git status")
  return { dir, refused }
}

function change(dir: string): void {
  writeFileSync(join(dir, "src/a.ts"), "changed")
  writeFileSync(join(dir, "src/new.ts"), "new")
}

function commitLongAgo(dir: string, name: string, by: "committer" | "author" = "committer"): void {
  commitFiles(dir, { [`src/${name}.ts`]: name }, name)
  const env = { ...process.env, ...GIT_ENV, GIT_COMMITTER_DATE: LONG_AGO }
  const author = by === "author" ? [`--date=${LONG_AGO}`] : []
  execFileSync("git", ["commit", "-q", "--amend", "--no-edit", ...author], { cwd: dir, env })
}

const LONG_AGO = "2020-02-02T20:20:20Z"
