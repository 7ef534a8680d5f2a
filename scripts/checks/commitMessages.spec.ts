import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
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

  it('is skipped, with the reason, where the history is missing or shallow', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-history-'))
    const reason = { faults: [], skipped: expect.stringContaining('does not reach back') }
    expect(checkCommitMessages(folder)).toEqual(reason)
    execFileSync('git', ['init', '-q', folder])
    expect(checkCommitMessages(folder)).toEqual(reason)
    rmSync(folder, { recursive: true })
  })
})
