import { execFileSync } from 'node:child_process'
import { ROOT } from '../run.mjs'

/** The branch that others commit to, as this clone knows it. */
const UPSTREAM = ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main', 'refs/heads/main']
const MAX_LENGTH = 72
const SUBJECT = /^[a-z][a-z0-9/-]*(, [a-z][a-z0-9/-]*)*: (?<verb>[a-z]+)\b/
/** Words that often start a subject line that lacks an imperative verb. */
const NO_VERBS = new Set(
  'a an the this that these those it its of in on at by for from with without to and or but not no what when where who all any each every more less new now only there'.split(
    ' ',
  ),
)
const INFLECTED = /(?:[^e]ed|ing|[^su]s)$/
const IMPERATIVES = new Set(['bring', 'embed', 'ping', 'shed', 'string'])

/** Describes the fault in the first line of a commit message. Returns undefined if it follows docs/STYLE.md. */
export function subjectFault(subject) {
  if (subject.length > MAX_LENGTH) return `has ${subject.length} characters, at most ${MAX_LENGTH} are allowed`
  if (subject.endsWith('.')) return 'ends with a full stop'
  const verb = SUBJECT.exec(subject)?.groups.verb
  if (!verb) return 'does not have the form "<context>: <verb> …" in lower case'
  if (NO_VERBS.has(verb) || (INFLECTED.test(verb) && !IMPERATIVES.has(verb)))
    return `"${verb}" is not an imperative verb`
}

/**
 * Checks the messages of the commits that only this branch has: what others have merged is not the author's to change.
 * Returns the faults, or the reason why the check was skipped.
 */
export function checkCommitMessages(root = ROOT) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const exists = (ref) => {
    try {
      return git('rev-parse', '--verify', '--quiet', ref) !== ''
    } catch {
      return false
    }
  }
  const upstream = UPSTREAM.find(exists)
  if (!upstream || !exists('HEAD')) return { faults: [], skipped: 'this folder has no Git history of main' }
  const faults = git('log', '--no-merges', '--format=%h %s', `${upstream}..HEAD`)
    .split('\n')
    .filter(Boolean)
    .map((line) => [line, subjectFault(line.slice(line.indexOf(' ') + 1))])
    .filter(([, fault]) => fault)
    .map(([line, fault]) => `${line}: the subject ${fault}`)
  return { faults }
}
