import { getTask, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { once } from '../../api/once.ts'
import { type Handover, takeHandover } from '../../api/task/handover.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { generateAgain, startRemix } from './remix.ts'
import { continueFrom } from './stage/continueFrom.ts'
import { $stage } from './workspace.ts'

const ACTIONS: Readonly<Record<Handover['action'], (task: Task, credits: number) => unknown>> = {
  again: generateAgain,
  continue: continueFrom,
  remix: startRemix,
}

/** Carries out what the library left to do with a video. */
export const carryOut = once(async () => {
  if ($stage.get() !== 'open') return
  const handover = takeHandover()
  if (!handover) return
  try {
    const { action, id, credits } = handover
    await ACTIONS[action](await call(getTask, { params: { id } }), credits)
  } catch (error) {
    showToast('danger', errorText(error))
  }
})
