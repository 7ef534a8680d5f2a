import { execFileSync } from 'node:child_process'
import { ROOT } from '../run.mjs'

/** The last commit before the rule applied. */
const BASE = '1ff03d52eadcbfd6b55afdf6eb70e90991fb5f89'
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
 * Checks the messages of all commits after the base commit. Returns the faults, or the reason why the check was skipped: an
 * archive has no history, and a shallow clone lacks part of it.
 */
export function checkCommitMessages(root = ROOT) {
  let log
  try {
    const git = (...args) =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    git('merge-base', '--is-ancestor', BASE, 'HEAD')
    log = git('log', '--no-merges', '--format=%h %s', `${BASE}..HEAD`)
  } catch {
    return { faults: [], skipped: `the Git history does not reach back to ${BASE.slice(0, 7)}` }
  }
  const faults = log
    .split('\n')
    .filter(Boolean)
    .map((line) => [line, subjectFault(line.slice(line.indexOf(' ') + 1))])
    .filter(([, fault]) => fault)
    .map(([line, fault]) => `${line}: the subject ${fault}`)
  return { faults }
}
