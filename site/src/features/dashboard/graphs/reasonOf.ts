import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'

const WITH_REASON = ['graph_refused', 'engine_refused', 'unavailable']

/** Returns why something failed, with ComfyUI's own sentence, which is for the operator. */
export function reasonOf(error: unknown): string {
  const text = errorText(error)
  const reason = error instanceof ApiError && WITH_REASON.includes(error.code) ? error.detail : undefined
  return reason ? `${text} ${reason}` : text
}
