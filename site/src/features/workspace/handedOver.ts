import { getTask } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { once } from '../../api/once.ts'
import { takeHandover } from '../../api/task/handover.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { generateAgain, startRemix } from './remix.ts'
import { continueFrom } from './stage/continueFrom.ts'
import { $stage } from './workspace.ts'

const ACTIONS = { again: generateAgain, continue: continueFrom, remix: startRemix }

/** Carries out what the library left to do with a video. */
export const carryOut = once(async () => {
  if ($stage.get() !== 'open') return
  const handover = takeHandover()
  if (!handover) return
  try {
    await ACTIONS[handover.action](await call(getTask, { params: { id: handover.id } }))
  } catch (error) {
    showToast('danger', errorText(error))
  }
})
