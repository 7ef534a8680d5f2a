import { translate } from '../i18n/client.ts'
import { Button } from './Button.tsx'
import { keepFocus } from './lists/keepFocus.ts'
import { Notice } from './Notice.tsx'

interface RetryNoticeProps {
  readonly tone: 'warning' | 'danger'
  readonly text: string
  readonly onRetry: () => unknown
}

/** Says that something could not be loaded, and offers to try again. */
export function RetryNotice({ tone, text, onRetry }: RetryNoticeProps) {
  return (
    <Notice tone={tone}>
      <div ref={keepFocus}>
        <p>{text}</p>
        <Button
          label={translate()('common.action.retry')}
          variant="quiet"
          icon="refresh"
          onClick={() => void onRetry()}
        />
      </div>
    </Notice>
  )
}
