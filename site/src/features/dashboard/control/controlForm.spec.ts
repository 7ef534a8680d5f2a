import { describe, expect, it } from 'vitest'
import type { Settings } from '#backend/installation/contract.ts'
import { check } from '../../../api/check.ts'
import { controlForm } from './controlForm.ts'

const BEFORE: Settings = {
  generation_paused: false,
  registration_paused: false,
  paused_models: [],
  paused_tills: [],
  banner: null,
  open_tasks: null,
  figures: null,
  blocked_words: [],
}
const send = (values: Readonly<Record<string, string>>) =>
  check(controlForm(BEFORE), { reason: 'An incident', ...values })

describe('the form of the settings', () => {
  it('sends only what was changed', () => {
    expect(send({ generation: 'on', 'changes.open_tasks': ' 3 ' })).toEqual({
      ok: true,
      value: { reason: 'An incident', changes: { generation_paused: true, open_tasks: 3 } },
    })
  })

  it.each([
    [{ 'changes.banner.en': 'We move on Sunday.' }, 'changes.banner.zh', 'required'],
    [{ 'changes.banner.en': 'x'.repeat(201), 'changes.banner.zh': '周日迁移。' }, 'changes.banner.en', 'too_long'],
    [{ 'changes.open_tasks': 'many' }, 'changes.open_tasks', 'invalid_number'],
    [{ 'changes.figures.users': '12K+' }, 'changes.figures.videos', 'required'],
    [{ 'changes.blocked_words': `gore\n${'x'.repeat(61)}` }, 'changes.blocked_words', 'too_long'],
    [{ reason: ' ' }, 'reason', 'required'],
  ])('names the field of %j', (values, field, code) => {
    expect(send(values)).toMatchObject({ ok: false, faults: { [field]: code } })
  })
})
