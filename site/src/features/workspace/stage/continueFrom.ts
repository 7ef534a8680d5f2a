import { type Task, lastFrame as takeLastFrame } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { whileBusy } from '../../../api/taskActions.ts'
import { translate } from '../../../i18n/client.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { restoreFrames } from '../frames/frames.ts'
import { setMode } from '../generation.ts'
import { remix } from '../remix.ts'

/** Puts the last frame of a video into the form as the first frame of the next one, with the same settings. */
export const continueFrom = (task: Task): Promise<void> =>
  whileBusy(task.id, 'continue', async () => {
    try {
      const { image_url } = await call(takeLastFrame, { params: { id: task.id } })
      remix(task, { quiet: true, as: 'extend' })
      setMode('image_to_video')
      restoreFrames({ first: image_url, last: null, references: [] })
    } catch (error) {
      return showToast('danger', errorText(error))
    }
    showToast('info', translate()('workspace.changed.continued'))
    document.getElementById('form-heading')?.scrollIntoView({ block: 'start' })
    document.getElementById('prompt')?.focus({ preventScroll: true })
  })
