// Rows of many clients that share commits: each client makes a row, hands it over and sleeps until it is on disk. One
// of those that wait writes for all of them, and then hands that on to the next. Nothing is decided, checked or
// answered.

#define _POSIX_C_SOURCE 200809L

#include "rows.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS_MAX = 1024 };

typedef struct {
    pthread_t thread;
    pthread_cond_t turn;
    Row row;
    int number, is_written, writes;
} Client;

static Writer writer;
static Subject *subjects;
static int64_t event_count, client_count, subject_count, stream_count, written_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Clients whose rows wait.
static Client *waiting[CLIENTS_MAX];
static int waiting_count, is_writing;

// Writes what waits; the caller holds the lock, which is given back meanwhile.
static void write_group(void) {
    static Row rows[CLIENTS_MAX];
    static Client *group[CLIENTS_MAX];
    int count = waiting_count;
    for (int i = 0; i < count; i++) group[i] = waiting[i], rows[i] = waiting[i]->row;
    waiting_count = 0;
    pthread_mutex_unlock(&lock);
    stream_count = place_rows(rows, count, written_count, subjects, stream_count);
    append_batch(&writer, rows, written_count, count);
    pthread_mutex_lock(&lock);
    written_count += count;
    for (int i = 0; i < count; i++) {
        group[i]->is_written = 1;
        pthread_cond_signal(&group[i]->turn);
    }
    is_writing = waiting_count > 0;
    if (is_writing) {
        waiting[0]->writes = 1;
        pthread_cond_signal(&waiting[0]->turn);
    }
}

static void *use(void *argument) {
    Client *client = argument;
    for (int64_t i = client->number; i < event_count; i += client_count) {
        make_row(&client->row, i, subject_count);
        pthread_mutex_lock(&lock);
        client->is_written = 0;
        waiting[waiting_count++] = client;
        client->writes = !is_writing;
        is_writing = 1;
        while (!client->is_written) {
            if (client->writes) {
                client->writes = 0;
                write_group();
            } else {
                pthread_cond_wait(&client->turn, &lock);
            }
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int clients(char **arguments) {
    event_count = atoll(arguments[1]);
    subject_count = atoll(arguments[2]);
    client_count = atoll(arguments[3]);
    if (event_count < 1 || subject_count < 1 || client_count < 1 || client_count > CLIENTS_MAX)
        fail("counts out of range", NULL);
    writer = open_writer(arguments[0], "plain", arguments[4]);
    subjects = calloc((size_t)subject_count, sizeof(Subject));
    Client *all = calloc((size_t)client_count, sizeof(Client));
    if (!subjects || !all) fail("allocate", NULL);
    double start = now();
    for (int64_t i = 0; i < client_count; i++) {
        all[i].number = (int)i;
        pthread_cond_init(&all[i].turn, NULL);
        if (pthread_create(&all[i].thread, NULL, use, &all[i])) fail("start a thread", NULL);
    }
    for (int64_t i = 0; i < client_count; i++) pthread_join(all[i].thread, NULL);
    double seconds = now() - start;
    close_writer(&writer);
    report(seconds, event_count);
    report_file(arguments[0]);
    report_memory();
    free(all);
    free(subjects);
    return 0;
}
