import { Migration } from '@mikro-orm/migrations'

/** The ids of agreements at Stripe. */
export class M0005Stripe extends Migration {
  override up(): void {
    this.addSql('create table stripe_agreement (session_id text primary key, subscription_id text not null unique)')
  }
}
