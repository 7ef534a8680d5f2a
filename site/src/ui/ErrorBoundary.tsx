import { Component, type ReactNode } from 'react'
import { translate } from '../i18n/client.ts'
import { Button, LinkButton } from './Button.tsx'

/** Offers ways to continue when rendering fails, and logs the error. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (!this.state.broken) return this.props.children
    const t = translate()
    return (
      <div className="stack stack-wide card crash" role="alert">
        <h2>{t('common.crash.title')}</h2>
        <p className="muted crash-short">{t('common.crash.text')}</p>
        <p className="muted crash-long">{t('common.crash.more')}</p>
        <div className="row row-wide">
          <Button label={t('common.action.retry')} variant="primary" onClick={() => this.setState({ broken: false })} />
          <Button onClick={() => location.reload()}>{t('common.action.reload')}</Button>
          <LinkButton label={t('common.action.home')} variant="quiet" to="/" />
        </div>
      </div>
    )
  }
}
