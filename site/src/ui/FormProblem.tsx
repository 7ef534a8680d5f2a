import { Notice } from './Notice.tsx'

/** Announces a failure of the whole form. The live region exists before it is filled, or screen readers would miss it. */
export function FormProblem({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className="form-problem">
      {text && <Notice tone="danger">{text}</Notice>}
    </div>
  )
}
