/*
 * demo_content.c - the demo tenant's content, in all languages; one entry lacks Spanish.
 */
#include "dev/demo.h"

#define SECTIONS(...)                                               \
    {                                                               \
        (const struct cms_section[]){__VA_ARGS__},                  \
            ARRAY_SIZE(((const struct cms_section[]){__VA_ARGS__})) \
    }

const struct cms_entry demo_content[] = {
    {.type = "article",
     .key = "back-pain-basics",
     .language = "en",
     .title = "Back pain: the basics",
     .author = "Dr. Ana Ruiz",
     .code = "M54.5",
     .sections =
         SECTIONS({NULL, "Most back pain goes away by itself within a few weeks."},
                  {"What helps", "Keep moving. Warmth and gentle stretching ease cramped "
                                 "muscles; long rest in bed does not."},
                  {"When to see a doctor", "See a doctor at once if your legs go numb or weak."})},
    {.type = "article",
     .key = "back-pain-basics",
     .language = "de",
     .title = "Rückenschmerzen: das Wichtigste",
     .author = "Dr. Ana Ruiz",
     .code = "M54.5",
     .sections =
         SECTIONS({NULL, "Die meisten Rückenschmerzen vergehen in wenigen Wochen von "
                         "allein."},
                  {"Was hilft", "Bleiben Sie in Bewegung. Wärme und sanftes Dehnen lösen "
                                "verkrampfte Muskeln, langes Liegen nicht."},
                  {"Wann zum Arzt",
                   "Gehen Sie sofort zum Arzt, wenn Ihre Beine taub oder schwach werden."})},
    {.type = "article",
     .key = "back-pain-basics",
     .language = "es",
     .title = "Dolor de espalda: lo esencial",
     .author = "Dr. Ana Ruiz",
     .code = "M54.5",
     .sections = SECTIONS({NULL, "La mayoría de los dolores de espalda desaparecen solos en pocas "
                                 "semanas."},
                          {"Qué ayuda", "Siga en movimiento. El calor y los estiramientos suaves "
                                        "relajan los músculos; guardar cama mucho tiempo, no."},
                          {"Cuándo ir al médico",
                           "Vaya enseguida al médico si se le duermen o debilitan las piernas."})},
    {.type = "article",
     .key = "sleeping-well",
     .language = "en",
     .title = "Sleeping well",
     .author = "Maria Keller",
     .sections =
         SECTIONS({NULL, "Go to bed and get up at the same time every day. Keep screens and "
                         "coffee for the first half of it."})},
    {.type = "article",
     .key = "sleeping-well",
     .language = "de",
     .title = "Gut schlafen",
     .author = "Maria Keller",
     .sections =
         SECTIONS({NULL, "Gehen Sie jeden Tag zur gleichen Zeit ins Bett und stehen Sie zur "
                         "gleichen Zeit auf. Bildschirme und Kaffee gehören in die erste "
                         "Tageshälfte."})},
    {.type = "faq",
     .key = "change-appointment",
     .language = "en",
     .title = "How do I change an appointment?",
     .sections = SECTIONS({NULL, "Open the appointment and choose another time, up to a day "
                                 "before."})},
    {.type = "faq",
     .key = "change-appointment",
     .language = "de",
     .title = "Wie verschiebe ich einen Termin?",
     .sections = SECTIONS({NULL, "Öffnen Sie den Termin und wählen Sie bis zum Vortag eine andere "
                                 "Zeit."})},
    {.type = "faq",
     .key = "change-appointment",
     .language = "es",
     .title = "¿Cómo cambio una cita?",
     .sections = SECTIONS({NULL, "Abra la cita y elija otra hora, hasta el día anterior."})},
    {.type = "exercise",
     .key = "cat-and-cow",
     .language = "en",
     .title = "Cat and cow",
     .author = "Maria Keller",
     .code = "EX-12",
     .sections =
         SECTIONS({NULL, "On hands and knees, round your back while you breathe out and let "
                         "it sink while you breathe in. Ten times, slowly."})},
    {.type = "exercise",
     .key = "cat-and-cow",
     .language = "de",
     .title = "Katze und Kuh",
     .author = "Maria Keller",
     .code = "EX-12",
     .sections =
         SECTIONS({NULL, "Im Vierfüßlerstand beim Ausatmen den Rücken runden, beim Einatmen "
                         "sinken lassen. Zehnmal, langsam."})},
    {.type = "exercise",
     .key = "cat-and-cow",
     .language = "es",
     .title = "Gato y vaca",
     .author = "Maria Keller",
     .code = "EX-12",
     .sections = SECTIONS({NULL, "A gatas, redondee la espalda al espirar y déjela bajar al "
                                 "inspirar. Diez veces, despacio."})},
};
const size_t demo_content_count = ARRAY_SIZE(demo_content);
