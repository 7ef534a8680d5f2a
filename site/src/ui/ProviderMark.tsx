import type { Provider } from '#backend/accounts/contract.ts'

/** The picture of a sign-in provider, or the first letter of its name. The name is beside it, so screen readers skip it. */
export const ProviderMark = ({ name, logo }: Provider) =>
  logo ? (
    <img className="provider-mark" src={logo} alt="" width="20" height="20" />
  ) : (
    <span className="provider-mark" aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  )
