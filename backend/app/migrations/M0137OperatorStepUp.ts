import { Migration } from '@mikro-orm/migrations'

/** When the operator's session last proved the second factor. */
export class M0137OperatorStepUp extends Migration {
  override up(): void {
    this.addSql('alter table operator_session add column stepped_up_at timestamptz')
  }
}
