import { Migration } from '@mikro-orm/migrations'

/** Teams: who is in one, who pays for a film, and who sees it. */
export class M0015Teams extends Migration {
  override up(): void {
    this.addSql(`
      create table team (
        id uuid primary key, owner_id uuid not null unique references user_account on delete cascade, name text not null
      );
      create table team_invitation (
        id uuid primary key, team_id uuid not null references team on delete cascade, hash text not null unique,
        email text not null, credits_per_month int, created_at timestamptz not null, expires_at timestamptz not null
      );
      create index team_invitation_team on team_invitation (team_id);

      create table team_roster (id uuid primary key, owner_id uuid not null, members jsonb not null, created_at timestamptz not null);
      create index team_roster_owner on team_roster (owner_id);
      create index team_roster_members on team_roster using gin (members jsonb_path_ops);
      create table open_team_change (id uuid primary key, revision int not null);
    `)
    this.addSql('alter table video_task add column payer_id uuid, add column team_id uuid, add column shown_to uuid')
    this.addSql('create index video_task_payer on video_task (payer_id) where payer_id is not null')
    this.addSql('create index video_task_shown on video_task (shown_to) where shown_to is not null')
    this.addSql('alter table credit_entry add column spent_by uuid')
    this.addSql('create index credit_entry_spent_by on credit_entry (user_id, spent_by) where spent_by is not null')
    this.addSql('alter table api_key add column team_id uuid')
  }
}
