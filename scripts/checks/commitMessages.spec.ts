import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkCommitMessages, subjectFault } from './commitMessages.mjs'

describe('the check of commit subjects', () => {
  it.each([
    'http: discard the rest of oversized bodies; log client aborts at debug',
    'house: move the code into the tree of docs/architecture.md',
    'site: pass the address through',
    'accounts, mail, storage: describe code in plain English',
    'tests: embed the server',
    'accounts: need one key per user',
    'app: focus the first field',
  ])('accepts "%s"', (subject) => {
    expect(subjectFault(subject)).toBeUndefined()
  })

  it.each([
    ['Move the code', 'does not have the form "<context>: <verb> …" in lower case'],
    ['http: Discard the rest', 'does not have the form "<context>: <verb> …" in lower case'],
    ['http: discard the rest.', 'ends with a full stop'],
    ['http: discarded the rest', '"discarded" is not an imperative verb'],
    ['http: discards the rest', '"discards" is not an imperative verb'],
    ['http: discarding the rest', '"discarding" is not an imperative verb'],
    ['http: of a body that is too large the rest is discarded', '"of" is not an imperative verb'],
    [`http: ${'discard '.repeat(9)}`, 'has 78 characters, at most 72 are allowed'],
  ])('rejects "%s"', (subject, fault) => {
    expect(subjectFault(subject)).toBe(fault)
  })

  it('is skipped, with the reason, without a history of main', () => {
    const folder = temporaryFolder()
    const reason = { faults: [], skipped: 'this folder has no Git history of main' }
    expect(checkCommitMessages(folder)).toEqual(reason)
    execFileSync('git', ['init', '-q', folder])
    expect(checkCommitMessages(folder)).toEqual(reason)
  })

  it('judges the commits of this branch, not those that others have merged', () => {
    const folder = temporaryFolder()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args])
    const commit = (subject: string) => git('commit', '-q', '--allow-empty', '-m', subject)
    git('init', '-q', '-b', 'main')
    commit('Squashed title from outside (#7)')
    expect(checkCommitMessages(folder)).toEqual({ faults: [] })
    git('checkout', '-q', '-b', 'mine')
    commit('http: discard the rest')
    commit('Fixed it.')
    expect(checkCommitMessages(folder).faults).toEqual([
      expect.stringMatching(/^\w+ Fixed it\.: the subject ends with a full stop$/),
    ])
  })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-history-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
